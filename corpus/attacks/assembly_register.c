// An empty assembly, whose operand is the stack pointer.
// Rejected: inline-assembly, main
int main(void) {
  register long stack __asm__("rsp");
  __asm__ volatile("" : "=r"(stack));
  return stack == 0;
}
