// A child that ends by exit out of inherited frames; a grandchild by _exit.
// processes 3
// expect deep calls=6
// expect handler calls=1
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int work;
static void handler(void) { work++; } // 1 x 4
static int spawn(int level);
static void deep(int n, int level) {
    if (n) {
        deep(n - 1, level); // 4 x 4
    } else if (level == 2) {
        _exit(20); // 1 x 1
    } else {
        exit(work + spawn(level + 1) + 1);
    }
    work = 0; // 0 x 1
}
static int spawn(int level) {
    if (fork() == 0) deep(2, level); // 2 x 1 + 4 x 2 + 2 x 2
    int status;
    wait(&status);
    return WEXITSTATUS(status);
}
int main(void) {
    atexit(handler);
    fflush(stdout);
    printf("%d\n", spawn(1));
    fflush(stdout);
    _exit(deep != 0 ? 0 : 1);
}
