// A constructor that runs before the fuel is there.
// Rejected: constructor, early
__attribute__((constructor(100))) static void early(void) {
  for (volatile long i = 0; i < 1L << 40; i++);
}
int main(void) { return 0; }
