// Handles signals.
// Rejected: outside-function, main, handles signals
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>
int main(void) { return (signal(SIGALRM, SIG_IGN) == SIG_ERR); }
