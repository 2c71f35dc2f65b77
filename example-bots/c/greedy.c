/* A greedy SameGame bot: it takes the largest region.
 *
 * A starting point for a bot of your own. Try it with
 *
 *     cc -O2 -o greedy greedy.c
 *     referee play --bot ./greedy
 */

#include <stdbool.h>
#include <stdio.h>

enum { SIDE = 15, EMPTY = -1 };

/* board[x][y], with y from the bottom, as moves are given. */
static int board[SIDE][SIDE];

/* Reads one turn: 15 lines of 15 numbers, top row first; false at the end of the game. */
static bool read_board(void) {
    for (int y = SIDE - 1; y >= 0; --y)
        for (int x = 0; x < SIDE; ++x)
            if (scanf("%d", &board[x][y]) != 1) return false;
    return true;
}

/* Empties the region of the tile at x, y (all connected tiles of this colour), and counts its tiles. */
static int take_region(int x, int y, int color) {
    if (x < 0 || x >= SIDE || y < 0 || y >= SIDE || board[x][y] != color) return 0;
    board[x][y] = EMPTY;
    return 1 + take_region(x + 1, y, color) + take_region(x - 1, y, color) +
           take_region(x, y + 1, color) + take_region(x, y - 1, color);
}

int main(void) {
    while (read_board()) {
        int best = 0, best_x = 0, best_y = 0;
        for (int x = 0; x < SIDE; ++x)
            for (int y = 0; y < SIDE; ++y) {
                if (board[x][y] == EMPTY) continue;
                const int tiles = take_region(x, y, board[x][y]);
                if (tiles > best) best = tiles, best_x = x, best_y = y;
            }
        printf("%d %d %d tiles\n", best_x, best_y, best);
        fflush(stdout); /* without it the referee sees a timeout */
    }
}
