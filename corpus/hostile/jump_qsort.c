// A comparison jumps out of the C library's qsort.
// expect main calls=1
// expect compare calls=5
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf target;
static volatile int seen;
static int compare(const void *a, const void *b) {
    seen++; // 5 x 3
    if (seen == 5) longjmp(target, 1);
    return *(const int *)a - *(const int *)b; // 4 x 6
}
static void sort(void) {
    int numbers[] = {5, 3, 8, 1, 9, 2, 7, 4, 6};
    qsort(numbers, 9, sizeof *numbers, compare);
    seen = 0; // 0 x 1
}
int main(void) {
    if (!setjmp(target))
        sort(); // 1 x 1
    printf("%d\n", seen);
}
