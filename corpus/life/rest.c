// No machine but one divides and keeps the rest.
int rest(int a, int b) {
  return a % b;
}
