// A pointer into the middle of a function, made when it is built.
// Rejected: code-address
int work(void) { return 1; }
static int (*entry)(void) = (int (*)(void))((char *)work + 5);
int main(void) {
  int (*volatile p)(void) = entry;
  return p();
}
