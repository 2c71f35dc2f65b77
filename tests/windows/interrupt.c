/* Starts a program in its own console, and interrupts it: `interrupt KEY FILE LINES PROGRAM [WORD]...` has it take Ctrl-C (KEY is
 * `c`) or Ctrl-Break (`break`) once the file has this many lines, and exits as the program does; with 98 if it does not end. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static BOOL WINAPI survive(DWORD event) {
    (void)event;
    return TRUE;
}

static int lines_of(const char *file) {
    FILE *opened = fopen(file, "rb");
    if (!opened) return 0;
    int lines = 0;
    for (int c; (c = fgetc(opened)) != EOF;) lines += c == '\n';
    fclose(opened);
    return lines;
}

/* Ctrl-C goes to all processes of the console. Wine's console sends nothing else, so Ctrl-Break starts in the program itself what a
 * console would start in it, a little after a file has told a bot to end as a console would end it. */
static BOOL press(const char *key, HANDLE program) {
    if (strcmp(key, "c") == 0) return GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
    void *routine = (void *)GetProcAddress(GetModuleHandleA("kernelbase"), "CtrlRoutine");
    if (!routine) return FALSE;
    fclose(fopen("broken", "wb"));
    Sleep(50);
    return CreateRemoteThread(program, NULL, 0, routine, (void *)(ULONG_PTR)CTRL_BREAK_EVENT, 0, NULL) != NULL;
}

int main(int count, char **words) {
    enum { BOUND_MS = 60000, STEP_MS = 20 };
    if (count < 5) return 99;
    const int wanted = atoi(words[3]);
    char line[8192] = "";
    for (int i = 4; i < count; ++i) {
        strcat(line, "\"");
        strcat(line, words[i]);
        strcat(line, "\" ");
    }
    SetConsoleCtrlHandler(survive, TRUE);
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION child;
    if (!CreateProcessA(NULL, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child)) {
        fprintf(stderr, "interrupt: cannot start %s: error %lu\n", line, GetLastError());
        return 99;
    }
    for (int ms = 0; lines_of(words[2]) < wanted && ms < BOUND_MS; ms += STEP_MS) Sleep(STEP_MS);
    if (!press(words[1], child.hProcess)) fprintf(stderr, "interrupt: error %lu\n", GetLastError());
    if (WaitForSingleObject(child.hProcess, BOUND_MS) != WAIT_OBJECT_0) {
        fprintf(stderr, "interrupt: it does not end\n");
        TerminateProcess(child.hProcess, 98);
        WaitForSingleObject(child.hProcess, BOUND_MS);
    }
    DWORD code = 97;
    GetExitCodeProcess(child.hProcess, &code);
    return (int)code;
}
