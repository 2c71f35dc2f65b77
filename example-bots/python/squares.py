#!/usr/bin/env python3
"""A greedy Square Remover bot: it completes a square with each swap that can.

A starting point for a bot of your own. Try it with

    referee play --game square-remover --seed 1 --bot "python3 squares.py"
"""

import random
import sys

MOVES = 10_000
STEPS = [(-1, 0), (0, 1), (1, 0), (0, -1)]  # up, right, down, left

colors, side = int(input()), int(input())
board = [[int(digit) for digit in input()] for _ in range(side)]
buffer = int(input())


def square(row, col):
    return [(row, col), (row, col + 1), (row + 1, col), (row + 1, col + 1)]


def on_board(row, col):
    return 0 <= row < side and 0 <= col < side


def corners_near(cells):
    """The top left corners of all squares that contain one of the cells, in the game's order."""
    corners = {(r - dr, c - dc) for r, c in cells for dr in (0, 1) for dc in (0, 1)}
    return sorted((r, c) for r, c in corners if on_board(r, c) and on_board(r + 1, c + 1))


def remove_squares(changed):
    """Removes squares, topmost and then leftmost first, and refills them from the buffer."""
    global buffer
    suspects = set(corners_near(changed))
    while suspects:
        corner = min(suspects)
        suspects.remove(corner)
        cells = square(*corner)
        if len({board[r][c] for r, c in cells}) == 1:
            for r, c in cells:
                board[r][c] = buffer % colors
                buffer = buffer * 48271 % (2**31 - 1)
            suspects.update(corners_near(cells))


def completing_swap():
    """A swap that completes a square: three tiles match, and the fourth has such a neighbour."""
    for row in range(side - 1):
        for col in range(side - 1):
            cells = square(row, col)
            tiles = [board[r][c] for r, c in cells]
            for (r, c), tile in zip(cells, tiles):
                color = tiles[0] if tiles.count(tiles[0]) == 3 else tiles[1]
                if tile == color or tiles.count(color) != 3:
                    continue
                for direction, (dr, dc) in enumerate(STEPS):
                    near = (r + dr, c + dc)
                    if near not in cells and on_board(*near) and board[near[0]][near[1]] == color:
                        return r, c, direction
    return None


def any_swap():
    while True:
        r, c, direction = random.randrange(side), random.randrange(side), random.randrange(4)
        if on_board(r + STEPS[direction][0], c + STEPS[direction][1]):
            return r, c, direction


random.seed(buffer)  # the same case is played the same way
remove_squares([(r, c) for r in range(side) for c in range(side)])
answer = []
for _ in range(MOVES):
    r, c, direction = completing_swap() or any_swap()
    r2, c2 = r + STEPS[direction][0], c + STEPS[direction][1]
    board[r][c], board[r2][c2] = board[r2][c2], board[r][c]
    remove_squares([(r, c), (r2, c2)])
    answer += [r, c, direction]
sys.stdout.write("".join(f"{number}\n" for number in answer))
