"""Makes the beginner's mistake that its argument names."""
import sys

mistake = sys.argv[1]


def lines(count):
    return [input() for _ in range(count)]


if mistake == "debug":
    print("reading the board", flush=True)
if mistake == "all":
    board = sys.stdin.read()
    print("0 0")
while mistake == "more":
    board = lines(16)
    print("0 0", flush=True)
while mistake == "unflushed":
    board = [sys.stdin.readline() for _ in range(15)]
    if not board[0]:
        break
    print("0 3")
board = [[int(tile) for tile in line.split()] for line in lines(15)]
if mistake == "throw":
    print(board[15])
while mistake == "spin":
    pass
for row in range(15):
    for column in range(14):
        if board[row][column] == board[row][column + 1]:
            print(column, row, flush=True)
            input()
