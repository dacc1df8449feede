/* longjmp: past two frames, from deep recursion, out of abort, out of a handler. */
#include "counted.h"

static jmp_buf target;
static sigjmp_buf signal_target;
NOINLINE void deep(int depth) {
    COUNT(1);
    if (depth) deep(depth - 1);
    else opc_wrap_longjmp(target, 1);
    STAY;
}
static void jump_out(int n) { (void)n; COUNT(2); opc_wrap_siglongjmp(signal_target, 1); }
NOINLINE void aborts(void) { opc_wrap_abort(); }
NOINLINE void raises(void) { raise(SIGUSR1); STAY; }
NOINLINE void faults(void) { *(volatile int *)16 = 1; STAY; }

NOINLINE void catches(int depth, int times) {
    for (volatile int i = 0; i < times; i++)
        if (setjmp(target)) SETTLE;
        else deep(depth);
    STAY;
}
NOINLINE void handles(int number, void (*act)(void)) {
    static char stack[65536];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigaction(number, &(struct sigaction){.sa_handler = jump_out, .sa_flags = SA_ONSTACK}, NULL);
    if (sigsetjmp(signal_target, 1)) SETTLE;
    else act();
    STAY;
}

int main(int count, char **arguments) {
    (void)count;
    if (!strcmp(arguments[1], "deep")) catches(100000, 1);
    if (!strcmp(arguments[1], "often")) catches(1, 1000);
    if (!strcmp(arguments[1], "abort")) handles(SIGABRT, aborts);
    if (!strcmp(arguments[1], "raise")) handles(SIGUSR1, raises);
    if (!strcmp(arguments[1], "fault")) handles(SIGSEGV, faults);
    return 0;
}
