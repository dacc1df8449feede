// Recursion 100,000 deep, and a doubly recursive function.
// expect deep calls=100001
// expect fib calls=21891
#include <stdio.h>
static int deep(int n) {
    if (n == 0)
        return 0;
    return deep(n - 1) + 1; // 100000 x 6
}
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { printf("%d %d\n", deep(100000), fib(20)); }
