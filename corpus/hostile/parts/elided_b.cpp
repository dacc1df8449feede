#include "elided.h"
static volatile int work;
__attribute__((noinline)) static int inner(int n) { int (*volatile function)(int) = maybe; int got = maybe(n); work++; return got + (function == nullptr); }
int use(int n) { int got = inner(n); work++; return got; }
