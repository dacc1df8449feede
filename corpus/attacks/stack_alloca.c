// Asks for a gigabyte of stack and writes to its end only.
// Ends: used-up|stack
__attribute__((noinline)) void touch(volatile char *there) { *there = 1; }
int main(int count, char **arguments) {
  char *memory = __builtin_alloca((unsigned long)count << 30);
  touch(memory);
  return 0;
}
