// Takes the place of a function by which the runtime finds the fuel.
// Rejected: reserved-name, getenv
char *getenv(const char *name) { return 0; }
int main(void) {
  for (;;);
}
