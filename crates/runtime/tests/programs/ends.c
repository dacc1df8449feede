/* Ends in every way, from inside two calls: main -> middle -> leaf. */
#include "counted.h"
#include <assert.h>

static void at_exit_ends(void) { COUNT(3); opc_wrap__exit(5); }
static void on_abort(int n) { (void)n; COUNT(4); }

NOINLINE void leaf(const char *way) {
    COUNT(2);
    if (!strcmp(way, "exit")) opc_wrap_exit(3);
    if (!strcmp(way, "exit-in-exit")) { atexit(at_exit_ends); opc_wrap_exit(3); }
    if (!strcmp(way, "exit-uncounted")) exit(3);
    if (!strcmp(way, "_exit")) opc_wrap__exit(3);
    if (!strcmp(way, "quick_exit")) opc_wrap_quick_exit(3);
    if (!strcmp(way, "abort")) opc_wrap_abort();
    if (!strcmp(way, "abort-handled")) { signal(SIGABRT, on_abort); opc_wrap_abort(); }
    if (!strcmp(way, "assert")) assert(!"reached");
    if (!strcmp(way, "kill")) kill(getpid(), SIGKILL);
    STAY;
}

NOINLINE void middle(const char *way) { COUNT(1); leaf(way); STAY; }

int main(int count, char **arguments) {
    COUNT(0);
    for (int i = 0; i < 1000; i++) COUNT(5);
    (void)count;
    middle(arguments[1]);
    STAY;
    return 3;
}
