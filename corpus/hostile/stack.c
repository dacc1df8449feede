// alloca in a loop, arrays of variable length, variable arguments, structures by value.
// expect sum calls=5
// expect fill calls=6
// expect by_value calls=3
#include <alloca.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
struct big { int numbers[20]; };
static volatile int work;
static int sum(int count, ...) {
    va_list list;
    va_start(list, count);
    int result = 0;
    for (int i = 0; i < count; i++)
        result += va_arg(list, int);
    va_end(list);
    work++; // 5 x 3
    return result;
}
static int fill(int n) {
    int array[n + 1], result = 0;
    for (int i = 0; i <= n; i++) {
        int *one = alloca(sizeof *one);
        *one = i;
        array[i] = *one;
    }
    for (int i = 0; i <= n; i++)
        result += array[i];
    work++; // 6 x 3
    return result;
}
static struct big by_value(struct big given) { given.numbers[3]++; return given; }
int main(void) {
    int result = 0;
    struct big given = {{0}};
    for (int i = 0; i < 5; i++) result += sum(3, i, i, i) ;
    for (int i = 0; i < 6; i++) result += fill(i * 10);
    for (int i = 0; i < 3; i++) given = by_value(given);
    printf("%d %d %d\n", result, work, given.numbers[3]);
}
