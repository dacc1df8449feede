/* Never ends. */
int main(void) {
  unsigned state = 1;
  for (;;) state = state * 1664525 + 1013904223;
}
