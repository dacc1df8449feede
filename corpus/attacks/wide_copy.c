// Copies a megabyte with every call.
// Rejected: size, by value
struct big { char bytes[1 << 20]; };
__attribute__((noinline)) int first(struct big big) { return big.bytes[0]; }
int main(void) {
  static struct big big;
  int sum = 0;
  for (int i = 0; i < 1000; i++) sum += first(big);
  return sum;
}
