static int T[16] = {9, 8, 7};
static int st(int x) { return x * 5; }
int weakf(int x) { return st(x) * 7; }
__attribute__((noinline)) static unsigned loop(int n) {
  unsigned s = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 16; k++)
      s = s * 5 + T[k] * i;
    s += st(i);
    if (i == n / 2)
      T[3]++;
  }
  return s;
}
unsigned other(int n) { return loop(n); }
unsigned ali(int n) __attribute__((alias("other")));
