/* A bot that reads its 225 numbers as most bots do, and removes the first pair from the top. */
#include <stdio.h>

enum { SIDE = 15, EMPTY = -1 };

int main(void) {
    for (;;) {
        int above[SIDE], x = 0, y = 0, is_found = 0;
        for (int row = SIDE - 1; row >= 0; row--) {
            for (int column = 0, left = EMPTY, color; column < SIDE; column++) {
                if (scanf("%d", &color) != 1) return 0;
                int is_pair = color == left || (row < SIDE - 1 && color == above[column]);
                if (color != EMPTY && is_pair && !is_found) x = column, y = row, is_found = 1;
                above[column] = left = color;
            }
        }
        printf("%d %d\n", x, y);
        fflush(stdout);
    }
}
