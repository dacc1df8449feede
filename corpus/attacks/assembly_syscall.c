// Asks the kernel itself.
// Rejected: inline-assembly, ask
static long ask(long number) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number) : "rcx", "r11", "memory");
  return result;
}
int main(void) { return ask(57) == 0; }
