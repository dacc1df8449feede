// Starts processes.
// Rejected: outside-function, main, starts processes
#define _GNU_SOURCE
#include <unistd.h>
int main(void) { return fork(); }
