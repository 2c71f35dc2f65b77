// A greedy SameGame bot: it takes the largest region.
//
// A starting point for a bot of your own. Try it with
//
//     javac Greedy.java
//     referee play --bot "java Greedy"

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

class Greedy {
    static final int SIDE = 15;

    record Tile(int x, int y) {}

    // Reads one turn: 15 lines of 15 numbers, top row first; null at the end of the game.
    // board[x][y], with y from the bottom, as moves are given; -1 is empty
    static int[][] readBoard(Scanner in) {
        int[][] board = new int[SIDE][SIDE];
        for (int y = SIDE - 1; y >= 0; y--) {
            for (int x = 0; x < SIDE; x++) {
                if (!in.hasNextInt()) return null;
                board[x][y] = in.nextInt();
            }
        }
        return board;
    }

    // The region of the tile at x, y: all connected tiles of its colour; they are emptied.
    static List<Tile> takeRegion(int[][] board, int x, int y) {
        int color = board[x][y];
        List<Tile> found = new ArrayList<>();
        ArrayDeque<Tile> open = new ArrayDeque<>(List.of(new Tile(x, y)));
        while (!open.isEmpty()) {
            Tile t = open.pop();
            boolean outside = t.x < 0 || t.x >= SIDE || t.y < 0 || t.y >= SIDE;
            if (outside || board[t.x][t.y] != color) continue;
            board[t.x][t.y] = -1;
            found.add(t);
            open.push(new Tile(t.x + 1, t.y));
            open.push(new Tile(t.x - 1, t.y));
            open.push(new Tile(t.x, t.y + 1));
            open.push(new Tile(t.x, t.y - 1));
        }
        return found;
    }

    static List<Tile> largestRegion(int[][] board) {
        List<Tile> best = List.of();
        for (int x = 0; x < SIDE; x++) {
            for (int y = 0; y < SIDE; y++) {
                if (board[x][y] == -1) continue;
                List<Tile> region = takeRegion(board, x, y);
                if (region.size() > best.size()) best = region;
            }
        }
        return best;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        for (int[][] board; (board = readBoard(in)) != null; ) {
            List<Tile> region = largestRegion(board);
            Tile move = region.isEmpty() ? new Tile(0, 0) : region.get(0);
            System.out.println(move.x + " " + move.y + " " + region.size() + " tiles");
        }
    }
}
