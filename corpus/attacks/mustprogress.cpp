// A loop without effects, which C++ lets a compiler take away, and with it the
// end of main: what follows in memory must not run.
// Ends: used-up|crashed
int main() {
  for (int i = 1; i != 0;) i = i | 1;
}
