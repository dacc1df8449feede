// vfork and exec; vfork and _exit.
// processes 3
// expect child calls=2
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int work;
static void child(int which) {
    if (which)
        execl("/bin/false", "false", NULL); // 1 x 1
    _exit(3); // 1 x 1
}
int main(void) {
    for (int i = 0; i < 2; i++) {
        if (vfork() == 0)
            child(i); // 2 x 2
        int status;
        wait(&status);
        work += WEXITSTATUS(status);
    }
    printf("%d\n", work);
}
