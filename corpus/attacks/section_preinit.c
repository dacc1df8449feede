// A pointer in a section that the loader runs through first.
// Rejected: section, entry:4
static void work(void) {}
__attribute__((section(".preinit_array"), used)) static void (*entry)(void) = work;
int main(void) { return 0; }
