/* Makes the beginner's mistake that its argument names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int board[16][15];
static char line[100];

static void read_lines(int count) {
    for (int row = 0; row < count; row++) {
        if (!fgets(line, sizeof line, stdin)) exit(0);
        char *rest = line;
        for (int column = 0; column < 15; column++) board[row][column] = (int)strtol(rest, &rest, 10);
    }
}

int main(int argc, char **argv) {
    const char *mistake = argc > 1 ? argv[1] : "";
    volatile int spinning = 1;
    if (!strcmp(mistake, "debug")) puts("reading the board"), fflush(stdout);
    if (!strcmp(mistake, "all")) {
        while (getchar() != EOF) {}
        puts("0 0");
        return 0;
    }
    while (!strcmp(mistake, "more")) read_lines(16), puts("0 0"), fflush(stdout);
    while (!strcmp(mistake, "unflushed")) read_lines(15), puts("0 3");
    read_lines(15);
    if (!strcmp(mistake, "throw")) fprintf(stderr, "no such row\n"), abort();
    while (spinning && !strcmp(mistake, "spin")) {}
    for (int row = 0; row < 15; row++)
        for (int column = 0; column < 14; column++)
            if (board[row][column] == board[row][column + 1]) {
                printf("%d %d\n", column, row), fflush(stdout);
                read_lines(15);
            }
}
