// Not an attack: an interpreter that jumps through a table of labels.
// Allowed
int main(void) {
  static void *const table[] = {&&up, &&down, &&end};
  static const char program[] = {0, 0, 1, 0, 1, 1, 2};
  int n = 0, at = 0;
  goto *table[program[at++]];
up:
  n++;
  goto *table[program[at++]];
down:
  n--;
  goto *table[program[at++]];
end:
  return n;
}
