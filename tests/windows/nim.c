/* A game of two players, for Windows as for Linux: they take 1 to 3 matches in turn, and who takes the last one wins.
 * `nim judge HEAP` is its judge; the other words are bots. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#define sleep_ms(ms) Sleep(ms)
#else
#include <unistd.h>
#define sleep_ms(ms) usleep((ms) * 1000L)
#endif

static int judge(int heap) {
    char line[4096];
    if (!fgets(line, sizeof line, stdin)) return 1;
    for (int player = 0;; player = 1 - player) {
        printf("{\"ask\":\"%d\\n\",\"player\":%d}\n", heap, player);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin)) return 1;
        const char *reply = strstr(line, "\"reply\":[\"");
        const int taken = reply ? atoi(reply + strlen("\"reply\":[\"")) : 0;
        const bool counts = taken >= 1 && taken <= 3 && taken <= heap;
        heap -= taken;
        if (counts && heap > 0) continue;
        const int winner = counts ? player : 1 - player;
        printf("{\"end\":\"completed\",\"scores\":[%d,%d]", winner == 0, winner == 1);
        if (!counts && reply) printf(",\"out\":[{\"player\":%d,\"how\":\"illegal\",\"official\":\"1 to 3\"}]", player);
        printf("}\n");
        fflush(stdout);
        return 0;
    }
}

/* Writes into a file for as long as it runs. */
static void tick(const char *file) {
    for (;;) {
        FILE *ticks = fopen(file, "ab");
        if (ticks) fputc('x', ticks), fclose(ticks);
        sleep_ms(10);
    }
}

/* Starts this program again, which ticks. */
static void start_ticking(const char *self, const char *file) {
#ifdef _WIN32
    char line[1024];
    snprintf(line, sizeof line, "\"%s\" tick %s", self, file);
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION child;
    if (!CreateProcessA(self, line, NULL, NULL, FALSE, 0, NULL, NULL, &start, &child)) exit(99);
#else
    if (fork() == 0) execl(self, self, "tick", file, (char *)NULL);
#endif
}

static long size_of(const char *file) {
    FILE *ticks = fopen(file, "rb");
    if (!ticks) return 0;
    fseek(ticks, 0, SEEK_END);
    const long size = ftell(ticks);
    fclose(ticks);
    return size;
}

int main(int count, char **words) {
    const char *kind = count > 1 ? words[1] : "one", *word = count > 2 ? words[2] : "";
#define IS(name) (strcmp(kind, name) == 0)
    if (IS("judge")) return judge(atoi(word));
    if (IS("tick")) tick(word);
    if (IS("ticks")) start_ticking(words[0], word);
    long before = 0;
    for (int turn = 1, heap; scanf("%d", &heap) == 1; ++turn) {
        if (IS("quits") && turn == 2) return 0;
        if (IS("slow")) sleep_ms(1000);
        if (IS("ticks")) {
            /* Of the time since its last turn. */
            const long now = size_of(word);
            fprintf(stderr, "ticks %ld\n", now - before);
            fflush(stderr);
            sleep_ms(200);
            before = size_of(word);
        }
        printf("%d\n", IS("cheats") ? 4 : 1);
        fflush(stdout);
    }
    return 0;
}
