// A greedy Square Remover bot: it completes a square with each swap that can.
//
// A starting point for a bot of your own. Try it with
//
//     g++ -O2 -o squares squares.cpp
//     referee play --game square-remover --seed 1 --bot ./squares
//
// The answer is 10,000 swaps of two neighbours, each as three lines with a number each: the row and the column of
// a tile, both from 0 at the top left, and where its neighbour is: 0 up, 1 right, 2 down, 3 left.

#include <algorithm>
#include <array>
#include <iostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

constexpr int MOVES = 10'000;
constexpr int STEPS[4][2] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};  // up, right, down, left

using Cell = std::pair<int, int>;

struct Swap {
    Cell cell;
    int direction;
};

int colors, side;
long long buffer;
std::vector<std::vector<int>> board;

bool on_board(Cell cell) {
    return cell.first >= 0 && cell.first < side && cell.second >= 0 && cell.second < side;
}

int& tile(Cell cell) { return board[cell.first][cell.second]; }

Cell neighbour(Cell cell, int direction) {
    return {cell.first + STEPS[direction][0], cell.second + STEPS[direction][1]};
}

std::array<Cell, 4> square(int row, int col) {
    return {{{row, col}, {row, col + 1}, {row + 1, col}, {row + 1, col + 1}}};
}

// Adds the top left corners of all squares that contain the cell; a set has them in the game's order.
void add_corners_near(Cell cell, std::set<Cell>& corners) {
    for (int row = cell.first - 1; row <= cell.first; ++row)
        for (int col = cell.second - 1; col <= cell.second; ++col)
            if (on_board({row, col}) && on_board({row + 1, col + 1})) corners.insert({row, col});
}

// Removes squares, topmost and then leftmost first, and refills them from the buffer.
void remove_squares(std::set<Cell> suspects) {
    while (!suspects.empty()) {
        const auto [row, col] = *suspects.begin();
        suspects.erase(suspects.begin());
        const auto cells = square(row, col);
        const int color = board[row][col];
        const auto matches = [&](Cell cell) { return tile(cell) == color; };
        if (!std::all_of(cells.begin(), cells.end(), matches)) continue;
        for (const Cell& cell : cells) {
            tile(cell) = static_cast<int>(buffer % colors);
            buffer = buffer * 48271 % 2147483647;
        }
        for (const Cell& cell : cells) add_corners_near(cell, suspects);
    }
}

// A swap that completes a square: three tiles match, and the fourth has such a neighbour.
bool find_completing_swap(Swap& found) {
    for (int row = 0; row + 1 < side; ++row)
        for (int col = 0; col + 1 < side; ++col) {
            const auto cells = square(row, col);
            for (int corner = 0; corner < 4; ++corner) {
                const Cell odd = cells[corner];
                const int color = tile(cells[(corner + 1) % 4]);
                const auto matches = [&](Cell cell) { return tile(cell) == color; };
                if (matches(odd) || std::count_if(cells.begin(), cells.end(), matches) != 3) continue;
                for (int direction = 0; direction < 4; ++direction) {
                    const Cell near = neighbour(odd, direction);
                    const bool inside = std::find(cells.begin(), cells.end(), near) != cells.end();
                    if (!inside && on_board(near) && matches(near)) {
                        found = {odd, direction};
                        return true;
                    }
                }
            }
        }
    return false;
}

Swap any_swap(std::mt19937& random) {
    while (true) {
        const Cell cell{random() % side, random() % side};
        const int direction = static_cast<int>(random() % 4);
        if (on_board(neighbour(cell, direction))) return {cell, direction};
    }
}

int main() {
    std::cin >> colors >> side;
    std::set<Cell> suspects;
    for (int row = 0; row < side; ++row) {
        std::string line;
        std::cin >> line;
        board.emplace_back();
        for (int col = 0; col < side; ++col) {
            board[row].push_back(line[col] - '0');
            if (row > 0 && col > 0) suspects.insert({row - 1, col - 1});
        }
    }
    std::cin >> buffer;
    std::mt19937 random(static_cast<unsigned>(buffer));  // the same case is played the same way
    remove_squares(suspects);
    for (int move = 0; move < MOVES; ++move) {
        Swap swap;
        if (!find_completing_swap(swap)) swap = any_swap(random);
        const Cell near = neighbour(swap.cell, swap.direction);
        std::swap(tile(swap.cell), tile(near));
        suspects.clear();
        add_corners_near(swap.cell, suspects);
        add_corners_near(near, suspects);
        remove_squares(suspects);
        std::cout << swap.cell.first << '\n' << swap.cell.second << '\n' << swap.direction << '\n';
    }
}
