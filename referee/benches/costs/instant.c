/* A bot that answers as soon as it has 15 lines. */
#include <unistd.h>

int main(void) {
    char buffer[4096];
    int lines = 0;
    for (long count; (count = read(0, buffer, sizeof buffer)) > 0;)
        for (long i = 0; i < count; i++)
            if (buffer[i] == '\n' && ++lines % 15 == 0)
                if (write(1, "0 0\n", 4) < 0) return 1;
}
