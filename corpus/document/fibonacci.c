/* Fibonacci numbers by calls alone.
 *
 *     fibonacci N
 */
#include <stdio.h>
#include <stdlib.h>

static unsigned long fibonacci(unsigned n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

int main(int argc, char **argv) {
    printf("%lu\n", fibonacci(argc > 1 ? (unsigned)atoi(argv[1]) : 30));
    return 0;
}
