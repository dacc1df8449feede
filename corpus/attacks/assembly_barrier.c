// Not an attack: the barrier of benchmarks has no word in it.
// Allowed
int main(void) {
  int n = 3;
  __asm__ volatile("" : "+r"(n) : : "memory");
  return n - 3;
}
