// Says that a function does not return, and returns: what follows in memory
// must not run.
// Ends: crashed
__attribute__((noinline)) int back(void) { return 1; }
typedef __attribute__((noreturn)) void (*gone)(void);
int main(void) {
  gone volatile leave = (gone)back;
  leave();
}
