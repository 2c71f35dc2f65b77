// Makes the beginner's mistake that its argument names.
#include <iostream>
#include <string>
#include <vector>

using Board = std::vector<std::vector<int>>;

static Board read_board() {
    Board board(15, std::vector<int>(15));
    for (auto &row : board)
        for (int &tile : row)
            if (!(std::cin >> tile)) std::exit(0);
    return board;
}

int main(int argc, char **argv) {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    const std::string mistake = argc > 1 ? argv[1] : "";
    volatile bool spinning = true;
    std::string line;
    if (mistake == "debug") std::cout << "reading the board" << std::endl;
    if (mistake == "all") {
        while (std::getline(std::cin, line)) {}
        std::cout << "0 0\n";
        return 0;
    }
    while (mistake == "more") {
        for (int row = 0; row < 16; row++)
            if (!std::getline(std::cin, line)) return 0;
        std::cout << "0 0" << std::endl;
    }
    while (mistake == "unflushed") {
        read_board();
        std::cout << "0 3\n";
    }
    Board board = read_board();
    if (mistake == "throw") std::cerr << board.at(15).at(0);
    while (spinning && mistake == "spin") {}
    for (int row = 0; row < 15; row++)
        for (int column = 0; column < 14; column++)
            if (board[row][column] == board[row][column + 1]) {
                std::cout << column << ' ' << row << std::endl;
                read_board();
            }
}
