// Changes the address space.
// Rejected: outside-function, main, changes the address space
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>
int main(void) { return (mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED); }
