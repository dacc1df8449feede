// fork and exec of a program that nobody counts; exec that fails in a nested call, then another.
// processes 3
// expect try calls=4
// expect run calls=2
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int work;
static void try(const char *path) {
    char *arguments[] = {(char *)path, NULL};
    work++; // 4 x 3
    execv(path, arguments); // 4 x 3
    work++; // 2 x 3
}
static void run(void) {
    if (fork() == 0) {
        try("/nonexistent/program"); // 2 x 1
        try("/bin/true"); // 2 x 1
        _exit(9); // 0 x 1
    }
    int status;
    wait(&status);
    printf("%d %d\n", work, WEXITSTATUS(status));
}
int main(void) {
    run(); // 1 x 1
    work += 10; // 1 x 3
    run(); // 1 x 1
}
