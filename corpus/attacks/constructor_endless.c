// An ordinary constructor that never ends: it is metered.
// Ends: used-up, spin
__attribute__((constructor)) static void spin(void) {
  for (volatile int i = 0;; i++);
}
int main(void) { return 0; }
