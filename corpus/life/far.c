// A branch over more bytes than one byte of distance can tell.
int far(int a, int *b) {
  if (a > 3) {
#define STEP(n) b[n] = b[n + 1] * a + b[n + 2];
#define FOUR(n) STEP(n) STEP(n + 3) STEP(n + 6) STEP(n + 9)
    FOUR(0) FOUR(12) FOUR(24) FOUR(36) FOUR(48) FOUR(60)
  }
  return b[0];
}
