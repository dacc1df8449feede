// fork in nested calls: both go on; the child counts from the fork on, its frames return there too.
// processes 2
// expect deep calls=5
// expect parent calls=1
// expect child calls=1
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int work;
static pid_t pid;
static void deep(int n) {
    work++; // 5 x 3
    if (n)
        deep(n - 1); // 4 x 3 + 8 x 1
    else
        pid = fork(); // 1 x 1 + 2 x 1
    work++; // 10 x 3
}
static void parent(void) { int status; waitpid(pid, &status, 0); printf("%d %d\n", work, WEXITSTATUS(status)); }
static void child(void) { work += 50; }
int main(void) {
    deep(4); // 1 x 1
    work++; // 2 x 3
    if (pid) parent();
    else child();
    return pid ? 0 : work;
}
