// Calls itself until the stack is full.
// Ends: stack
__attribute__((noinline)) int deeper(int n) {
  volatile char frame[4000];
  frame[n & 63] = 1;
  return deeper(n + 1) + frame[1];
}
int main(void) { return deeper(0); }
