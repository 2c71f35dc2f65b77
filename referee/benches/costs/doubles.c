/* doubles TURNS BOT: starts a bot, sends it a number a turn and reads its answer, as a contest's tester does, and prints the
 * score. Without arguments it is the bot, which answers each line at once. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int bot(void) {
    char line[64];
    while (read(0, line, sizeof line) > 0)
        if (write(1, "2\n", 2) != 2) return 1;
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 1) return bot();
    if (argc != 3) return 2;
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) return 1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    pid_t pid;
    char *command[] = {argv[2], NULL};
    if (posix_spawn(&pid, argv[2], &actions, NULL, command, environ)) return 1;
    close(in[0]);
    close(out[1]);
    long turns = atol(argv[1]);
    for (long turn = 0; turn < turns; turn++) {
        char answer[64];
        if (write(in[1], "1\n", 2) != 2 || read(out[0], answer, sizeof answer) <= 0) return 1;
    }
    close(in[1]);
    waitpid(pid, NULL, 0);
    printf("Score = %ld\n", turns);
}
