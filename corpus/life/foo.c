int foo(int aa, int bb, int cc) {
  int sum = aa + bb;
  return sum / cc;
}
