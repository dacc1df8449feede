// A function without frame.
// Rejected: naked, spin
__attribute__((naked, noinline)) void spin(void) { __asm__("jmp spin"); }
int main(void) {
  spin();
  return 0;
}
