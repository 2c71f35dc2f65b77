import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;

/** Sends its seed to a bot, and scores the answer, as testers of marathon matches do. */
public class Tester {
    public static void main(String[] words) throws Exception {
        String command = "", seed = "";
        for (int at = 0; at + 1 < words.length; at++) {
            if (words[at].equals("-exec")) command = words[at + 1];
            if (words[at].equals("-seed")) seed = words[at + 1];
        }
        Process bot = Runtime.getRuntime().exec(command.split(" "));
        PrintStream input = new PrintStream(bot.getOutputStream(), true);
        input.println(seed);
        BufferedReader output = new BufferedReader(new InputStreamReader(bot.getInputStream()));
        System.out.println("Score = " + output.readLine());
        bot.destroy();
    }
}
