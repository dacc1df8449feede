// The same, made when it runs.
// Rejected: code-address, main:5
__attribute__((noinline)) int work(void) { return 1; }
int main(void) {
  int (*volatile p)(void) = (int (*)(void))((char *)work + 5);
  return p();
}
