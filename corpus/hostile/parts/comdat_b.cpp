extern volatile int work;
__attribute__((noinline)) inline int shared(int n) { static int calls; return ++calls + n; }
template <class T> __attribute__((noinline)) T twice(T n) { return n + n; }
__attribute__((noinline)) void weak_one() { work += 2; }
static __attribute__((noinline)) void own() { work += 5; }
int from_b(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) { sum += shared(i) + twice(i); own(); }
    return sum;
}
