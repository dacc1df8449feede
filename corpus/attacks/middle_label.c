// Calls a label.
// Rejected: block-address, main
int main(int count, char **arguments) {
  void *volatile p = &&inside;
  if (count > 1) goto *p;
  ((void (*)(void))p)();
inside:
  return 0;
}
