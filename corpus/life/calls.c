// What is inlined lives on in each caller; what no one needs goes.
static int cube(int x) {
  return x * x * x;
}

int first(int a) { return cube(a) + 1; }

int second(int a, int b) {
  int unused = a / 1;
  return cube(b) - unused;
}
