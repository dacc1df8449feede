// A counter that wrapped would be a new one: the limit is the largest there is.
// Ends: finished
int main(void) {
  volatile long n = 0;
  for (int i = 0; i < 1000000; i++) n += i;
  return 0;
}
