// The same, with the lowest priority of all.
// Rejected: constructor, first
__attribute__((constructor(0))) static void first(void) {
  for (volatile long i = 0; i < 1L << 40; i++);
}
int main(void) { return 0; }
