// The same by a pragma, which names no section at the variable.
// Rejected: section, entry
static void work(void) {}
#pragma clang section data = ".init_array"
__attribute__((used)) void (*entry)(void) = work;
#pragma clang section data = ""
int main(void) { return 0; }
