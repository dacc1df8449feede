// Machine code in the clothes of data.
// Rejected: section, code
__attribute__((section(".text"))) const unsigned char code[] = {0xeb, 0xfe};
int main(void) {
  void (*volatile spin)(void) = (void (*)(void))code;
  spin();
  return 0;
}
