// The load is a part of the addition.
int folded(int a, const int *p) {
  return a + *p;
}
