// Calls a number.
// Rejected: no-function, main:4
int main(int count, char **arguments) {
  return ((int (*)(void))(unsigned long)count)();
}
