// A signal handler runs counted code, by raise and by alarm, while main waits in a call.
// expect handler calls=4
// expect step calls=8
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>
static volatile int work, seen;
static void step(void) { work++; }
static void handler(int number) { (void)number; step(); step(); seen++; }
int main(void) {
    sigset_t none, usual;
    sigemptyset(&none);
    sigaddset(&none, SIGALRM);
    sigprocmask(SIG_BLOCK, &none, &usual);
    struct sigaction act = {.sa_handler = handler};
    sigaction(SIGUSR1, &act, NULL);
    sigaction(SIGALRM, &act, NULL);
    for (int i = 0; i < 3; i++) raise(SIGUSR1);
    struct itimerval soon = {.it_value = {.tv_usec = 2000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    sigsuspend(&usual);
    printf("%d\n", work);
}
