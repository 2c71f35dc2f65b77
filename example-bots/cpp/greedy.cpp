// A greedy SameGame bot: it takes the largest region.
//
// A starting point for a bot of your own. Try it with
//
//     g++ -O2 -o greedy greedy.cpp
//     referee play --bot ./greedy

#include <algorithm>
#include <array>
#include <iostream>
#include <vector>

constexpr int SIDE = 15;

struct Tile {
    int x, y;
};

// tile[x][y], with y from the bottom, as moves are given; -1 is empty
using Board = std::array<std::array<int, SIDE>, SIDE>;

// Reads one turn: 15 lines of 15 numbers, top row first; false at the end of the game.
bool read_board(Board& board) {
    for (int y = SIDE - 1; y >= 0; --y)
        for (int x = 0; x < SIDE; ++x)
            if (!(std::cin >> board[x][y])) return false;
    return true;
}

// The region of the tile at x, y: all connected tiles of its colour; they are emptied.
std::vector<Tile> take_region(Board& board, int x, int y) {
    const int color = board[x][y];
    std::vector<Tile> found, open{{x, y}};
    while (!open.empty()) {
        const Tile t = open.back();
        open.pop_back();
        if (t.x < 0 || t.x >= SIDE || t.y < 0 || t.y >= SIDE || board[t.x][t.y] != color) continue;
        board[t.x][t.y] = -1;
        found.push_back(t);
        open.insert(open.end(), {{t.x + 1, t.y}, {t.x - 1, t.y}, {t.x, t.y + 1}, {t.x, t.y - 1}});
    }
    return found;
}

int main() {
    Board board;
    while (read_board(board)) {
        std::vector<Tile> best;
        for (int x = 0; x < SIDE; ++x)
            for (int y = 0; y < SIDE; ++y)
                if (board[x][y] != -1) {
                    std::vector<Tile> region = take_region(board, x, y);
                    if (region.size() > best.size()) best = region;
                }
        const Tile move = best.empty() ? Tile{0, 0} : best.front();
        // std::endl flushes; without it the referee sees a timeout.
        std::cout << move.x << ' ' << move.y << ' ' << best.size() << " tiles" << std::endl;
    }
}
