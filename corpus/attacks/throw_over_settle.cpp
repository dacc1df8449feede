// Throws out of a hot loop again and again: no fuel comes back.
// Ends: used-up
__attribute__((noinline)) static void leave(int n) {
  volatile int work = 0;
  for (int i = 0; i < n; i++) work = work + i;
  throw n;
}
int main() {
  for (int n = 0;; n++) {
    try {
      leave(n & 63);
    } catch (int) {
    }
  }
}
