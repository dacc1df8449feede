// Both arms end alike: the end is written once.
void take(int);
int both(int a, int b) {
  if (a > b) {
    take(a);
    return a * 7;
  }
  take(b);
  return a * 7;
}
