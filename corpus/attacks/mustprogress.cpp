// A loop without effects, which C++ lets a compiler take away.
// Ends: used-up, main
int main() {
  for (int i = 1; i != 0;) i = i | 1;
}
