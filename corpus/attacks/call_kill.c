// Deals in signals.
// Rejected: outside-function, main, deals in signals
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>
int main(void) { return kill(getppid(), 9); }
