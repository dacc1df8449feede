// Works in a loop that is written in assembly.
// Rejected: inline-assembly, main:5
int main(void) {
  long n = 1L << 40;
  __asm__ volatile("1: dec %0; jnz 1b" : "+r"(n));
  return 0;
}
