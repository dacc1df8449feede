// Code that the loader runs, before any constructor.
// Rejected: ifunc, work is an ifunc, main:9
static int plain(void) { return 0; }
static int (*choose(void))(void) {
  for (volatile long i = 0; i < 1L << 40; i++);
  return plain;
}
int work(void) __attribute__((ifunc("choose")));
int main(void) { return work(); }
