/* bare BOT GAMES TURNS MESSAGE: plays games with a bot and does nothing else. Each turn, the bot is sent the file MESSAGE
 * and its answer is read. Prints the nanoseconds of each turn. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000L + time.tv_nsec;
}

static void play(char *bot, long turns, const char *message, size_t length, long *times) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) exit(1);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    pid_t pid;
    char *argv[] = {bot, NULL};
    if (posix_spawn(&pid, bot, &actions, NULL, argv, environ)) exit(1);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    for (long turn = 0; turn < turns; turn++) {
        long start = now();
        if (write(in[1], message, length) != (ssize_t)length) exit(1);
        char answer[256];
        ssize_t count;
        do {
            count = read(out[0], answer, sizeof answer);
            if (count <= 0) exit(1);
        } while (answer[count - 1] != '\n');
        times[turn] = now() - start;
    }
    close(in[1]);
    close(out[0]);
    waitpid(pid, NULL, 0);
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    long games = atol(argv[2]), turns = atol(argv[3]);
    static char message[65536];
    int file = open(argv[4], O_RDONLY);
    ssize_t length = read(file, message, sizeof message);
    if (length <= 0) return 1;
    long *times = calloc(games * turns, sizeof *times);
    for (long game = 0; game < games; game++) play(argv[1], turns, message, length, times + game * turns);
    for (long turn = 0; turn < games * turns; turn++) printf("%ld\n", times[turn]);
}
