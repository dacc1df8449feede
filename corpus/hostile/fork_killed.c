// A child dies by a signal in frames that it inherited, which are noted as left -1 times.
// processes 2
// quality lower bound: without notice
// expect main calls=1
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int work;
static void deep(int n) {
    if (n) deep(n - 1);
    else if (fork() == 0) raise(SIGKILL);
    work++;
}
int main(void) {
    int status;
    deep(3);
    wait(&status);
    printf("%d\n", WTERMSIG(status));
}
