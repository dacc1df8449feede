// Switches stacks.
// Rejected: outside-function, main, switches stacks
#define _GNU_SOURCE
#include <ucontext.h>
#include <unistd.h>
int main(void) { return getcontext(&(ucontext_t){0}); }
