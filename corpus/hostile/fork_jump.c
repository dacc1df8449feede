// The child jumps out of frames that it inherited.
// processes 2
// expect deep calls=4
// expect home calls=2
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static jmp_buf target;
static volatile int work;
static void deep(int n) {
    if (n) {
        deep(n - 1); // 3 x 3
    } else if (fork() == 0) {
        work += 10; // 1 x 3
        longjmp(target, 1);
    }
    work++; // 4 x 3
}
static void home(int status) { work += status; }
int main(void) {
    if (setjmp(target)) {
        home(5); // 1 x 1
        exit(work);
    }
    deep(3); // 1 x 1
    int status;
    wait(&status);
    home(WEXITSTATUS(status));
    printf("%d\n", work);
}
