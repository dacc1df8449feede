// Reads the processor's clock, to do something else when it is watched.
// Rejected: intrinsic, main, rdtsc
int main(void) { return __builtin_ia32_rdtsc() == 0; }
