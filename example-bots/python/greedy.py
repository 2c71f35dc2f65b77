#!/usr/bin/env python3
"""A greedy SameGame bot: it takes the largest region.

A starting point for a bot of your own. Try it with

    referee play --bot "python3 greedy.py"
"""

import sys

SIDE = 15


def read_board():
    """Reads one turn: 15 lines of 15 numbers, top row first; None at the end of the game."""
    rows = []
    for _ in range(SIDE):
        line = sys.stdin.readline()
        if not line:
            return None
        rows.append([int(word) for word in line.split()])
    # board[x][y], with y from the bottom, as moves are given
    return [[rows[SIDE - 1 - y][x] for y in range(SIDE)] for x in range(SIDE)]


def region(board, x, y):
    """The tiles of the same colour that hang together with the one at x, y."""
    color = board[x][y]
    found, open_tiles = set(), [(x, y)]
    while open_tiles:
        x, y = open_tiles.pop()
        if (x, y) in found or not (0 <= x < SIDE and 0 <= y < SIDE) or board[x][y] != color:
            continue
        found.add((x, y))
        open_tiles += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return found


def largest_region(board):
    best, seen = set(), set()
    for x in range(SIDE):
        for y in range(SIDE):
            if board[x][y] != -1 and (x, y) not in seen:
                tiles = region(board, x, y)
                seen |= tiles
                if len(tiles) > len(best):
                    best = tiles
    return best


while (board := read_board()) is not None:
    tiles = largest_region(board)
    x, y = min(tiles, default=(0, 0))
    # Without flush the answer stays in this process, and the referee sees a timeout.
    print(x, y, f"{len(tiles)} tiles", flush=True)
