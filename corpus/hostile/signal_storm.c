// A timer interrupts a hot loop between any two instructions; handler and loop share counters.
// anchors source optimized
// levels 0 3
// expect step calls=20000200
// totals differ
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
static volatile int left = 200;
static volatile long work;
__attribute__((noinline)) static void step(void) { work++; }
static void handler(int number) {
    (void)number;
    if (left == 0) return;
    left--;
    step();
}
int main(void) {
    struct sigaction act = {.sa_handler = handler};
    sigaction(SIGALRM, &act, NULL);
    struct itimerval often = {.it_value = {.tv_usec = 100}, .it_interval = {.tv_usec = 100}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (long i = 0; i < 20000000; i++) step();
    while (left) {}
    puts("done");
}
