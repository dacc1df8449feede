// Calls an address that it works out of one that it was given.
// Rejected: no-function, call
__attribute__((noinline)) int call(char *start, int far) { return ((int (*)(void))(start + far))(); }
__attribute__((noinline)) int work(void) { return 1; }
int main(int count, char **arguments) { return call((char *)work, count); }
