/* A SameGame bot with one fault, for Windows as for Linux: `fault FAULT [ON_TURN] [NUMBER]`. It takes the first region of
 * two tiles until the turn of its fault. */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <io.h>
#include <windows.h>
#define sleep_ms(ms) Sleep(ms)
#else
#include <unistd.h>
#define sleep_ms(ms) usleep((ms) * 1000L)
#endif

enum { SIDE = 15 };

static int board[SIDE][SIDE];

static bool read_board(void) {
    for (int y = SIDE - 1; y >= 0; --y)
        for (int x = 0; x < SIDE; ++x)
            if (scanf("%d", &board[x][y]) != 1) return false;
    return true;
}

static void answer(void) {
    for (int x = 0; x < SIDE; ++x)
        for (int y = 0; y < SIDE; ++y) {
            const bool right = x + 1 < SIDE && board[x][y] == board[x + 1][y];
            const bool above = y + 1 < SIDE && board[x][y] == board[x][y + 1];
            if (board[x][y] >= 0 && (right || above)) {
                printf("%d %d\n", x, y);
                fflush(stdout);
                return;
            }
        }
}

static void hang(void) {
    for (;;) sleep_ms(60000);
}

/* Starts this program again, which then hangs with the same standard streams. */
static void leave_child(const char *self, const char *mark) {
#ifdef _WIN32
    char line[1024];
    snprintf(line, sizeof line, "\"%s\" hang 0 %s", self, mark);
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION child;
    if (!CreateProcessA(self, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child)) exit(99);
#else
    if (fork() == 0) execl(self, self, "hang", "0", mark, (char *)NULL);
#endif
}

#ifdef _WIN32
/* As `py.exe` starts Python: in a job of its own, which that one's children leave silently. The child starts another one, and ends. */
static void launch(const char *self, const char *mark) {
    char line[1024];
    snprintf(line, sizeof line, "\"%s\" launched 1 %s", self, mark);
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION child;
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_SILENT_BREAKAWAY_OK;
    const HANDLE job = CreateJobObjectA(NULL, NULL);
    if (!SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits)) exit(98);
    if (!CreateProcessA(self, line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, NULL, &start, &child)) exit(97);
    if (!AssignProcessToJobObject(job, child.hProcess)) exit(96);
    ResumeThread(child.hThread);
    WaitForSingleObject(child.hProcess, INFINITE);
}
#endif

int main(int count, char **words) {
    const char *fault = count > 1 ? words[1] : "none";
    const int on_turn = count > 2 ? atoi(words[2]) : 1;
    const char *number = count > 3 ? words[3] : "0";
#define IS(name) (strcmp(fault, name) == 0)
    if (on_turn == 0 || IS("noread")) hang();
    if (IS("launched")) {
        leave_child(words[0], number);
        return 0;
    }
    if (IS("argument")) fprintf(stderr, "argument <%s>\n", number);
    for (int turn = 1; read_board(); ++turn) {
        if (turn != on_turn) {
            answer();
            continue;
        }
        if (IS("hang")) hang();
        if (IS("crash")) *(volatile int *)8 = 1;
        if (IS("abort")) abort();
        if (IS("divide")) {
            volatile int zero = 0;
            exit(1 / zero);
        }
        if (IS("exit")) exit(atoi(number));
#ifdef _WIN32
        if (IS("broken")) {
            while (_access("broken", 0) != 0) sleep_ms(5);
            ExitProcess(0xC000013A);
        }
#endif
        if (IS("answer-and-exit")) {
            answer();
            exit(atoi(number));
        }
        if (IS("illegal")) printf("14 14\n14 14\n");
        if (IS("outside")) printf("99 99\n");
        if (IS("words")) printf("hello world\n");
        if (IS("empty")) printf("\n");
        if (IS("partial")) printf("0 0");
        if (IS("partial")) fflush(stdout), hang();
        if (IS("long-line"))
            for (;;) putchar('x');
        if (IS("flood"))
            for (;;) puts("0 0");
        if (IS("stderr")) {
            for (int i = 0; i < atoi(number); ++i) fputs("eeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\n", stderr);
            answer();
        }
        if (IS("late")) sleep_ms(atoi(number)), answer();
        if (IS("close")) {
            fclose(stdout);
#ifndef _WIN32
            close(1);
#endif
            hang();
        }
        if (IS("child")) leave_child(words[0], number), answer();
#ifdef _WIN32
        if (IS("launcher")) launch(words[0], number), answer();
#endif
        if (IS("child-and-exit")) leave_child(words[0], number), exit(0);
        if (IS("child-and-crash")) {
            leave_child(words[0], number);
            *(volatile int *)8 = 1;
        }
        if (IS("memory")) {
            const size_t size = (size_t)atoi(number) << 20;
            memset(malloc(size), 1, size);
            sleep_ms(400);
            answer();
        }
        if (IS("spin"))
            for (;;) *(volatile int *)&on_turn;
        if (IS("argument") || IS("none")) answer();
        fflush(stdout);
    }
}
