// Makes any system call.
// Rejected: outside-function, main, makes any system call
#define _GNU_SOURCE
#include <unistd.h>
int main(void) { return syscall(57); }
