// Starts or awaits processes.
// Rejected: outside-function, main, starts or awaits processes
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>
int main(void) { return system("sleep 1"); }
