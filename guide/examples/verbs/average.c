/* The average of three numbers, as an expression to follow. */
int average(int a, int b, int c) {
  return (a + b + c) / 3;
}
