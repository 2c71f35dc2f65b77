import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.util.Arrays;

/** Makes the beginner's mistake that its argument names. */
public class Bot {
    static final BufferedReader IN = new BufferedReader(new InputStreamReader(System.in));

    static int[][] lines(int count) throws IOException {
        int[][] board = new int[count][];
        for (int row = 0; row < count; row++) {
            String line = IN.readLine();
            if (line == null) System.exit(0);
            board[row] = Arrays.stream(line.split(" ")).mapToInt(Integer::parseInt).toArray();
        }
        return board;
    }

    public static void main(String[] args) throws IOException {
        String mistake = args[0];
        if (mistake.equals("debug")) System.out.println("reading the board");
        if (mistake.equals("all")) {
            IN.lines().count();
            System.out.println("0 0");
            return;
        }
        while (mistake.equals("more")) {
            lines(16);
            System.out.println("0 0");
        }
        BufferedWriter out = new BufferedWriter(new OutputStreamWriter(System.out));
        while (mistake.equals("unflushed")) {
            lines(15);
            out.write("0 3\n");
        }
        int[][] board = lines(15);
        if (mistake.equals("throw")) System.out.println(board[15][0]);
        while (mistake.equals("spin")) Thread.onSpinWait();
        for (int row = 0; row < 15; row++)
            for (int column = 0; column < 14; column++)
                if (board[row][column] == board[row][column + 1]) {
                    System.out.println(column + " " + row);
                    lines(15);
                }
    }
}
