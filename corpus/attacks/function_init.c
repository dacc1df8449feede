// A function in the section that runs at the start.
// Rejected: section, work
__attribute__((section(".init"), used)) static void work(void) {}
int main(void) { return 0; }
