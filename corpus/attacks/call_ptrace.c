// Changes what the process may do.
// Rejected: outside-function, main, changes what the process may do
#define _GNU_SOURCE
#include <sys/ptrace.h>
#include <unistd.h>
int main(void) { return (int)ptrace(PTRACE_TRACEME, 0, 0, 0); }
