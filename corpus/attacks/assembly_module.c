// A function written in assembly beside the others.
// Rejected: module-assembly
__asm__(".globl work\nwork: jmp work\n");
void work(void);
int main(void) {
  work();
  return 0;
}
