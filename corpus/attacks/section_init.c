// The same behind it.
// Rejected: section, entry
static void work(void) {}
__attribute__((section(".init_array.00000"), used)) static void (*entry)(void) = work;
int main(void) { return 0; }
