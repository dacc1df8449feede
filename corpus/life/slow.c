// One function that must not be optimised beside one that may.
__attribute__((optnone, noinline)) int slow(int a, int b) { int s = 0; for (int i = 0; i < a; i++) s += i / b; return s; }
int fast(int a, int b) { int s = 0; for (int i = 0; i < a; i++) s += i / b; return s; }
