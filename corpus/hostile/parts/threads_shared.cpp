static volatile int done;
__attribute__((noinline)) static void step() { done = done + 1; }
void work(int times);
void work(int times) { for (int i = 0; i < times; i++) step(); }
