// Assembly that jumps to a label.
// Rejected: instruction, main
int main(void) {
  __asm__ goto("jmp %l0" : : : : there);
there:
  return 0;
}
