// A plain return from nested calls, with a status of its own.
// status 7
// expect main calls=1
// expect leaf calls=12
#include <stdio.h>
static volatile int sink;
static void leaf(int i) { sink = i; }
static void middle(int n) {
    for (int i = 0; i < n; i++)
        leaf(i); // 12 x 3
    sink++; // 3 x 3
}
int main(void) {
    middle(3); // 1 x 1
    middle(4); // 1 x 1
    middle(5); // 1 x 1
    puts("back");
    return 7;
}
