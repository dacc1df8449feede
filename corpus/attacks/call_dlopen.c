// Loads or finds code.
// Rejected: outside-function, main, loads or finds code
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
int main(void) { return (dlopen("libm.so.6", RTLD_NOW) == 0); }
