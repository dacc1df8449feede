// Duff's device, a switch into a loop, goto into a loop from two sides.
// expect copy calls=20
// expect tangle calls=10
#include <stdio.h>
static volatile int work;
static void copy(int count) {
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { work++; // 18 x 4 + 2 x 1
    case 7:      work++; // 20 x 4
    case 6:      work++; // 22 x 4
    case 5:      work++; // 24 x 4
    case 4:      work++; // 27 x 4
    case 3:      work++; // 30 x 4
    case 2:      work++; // 33 x 4
    case 1:      work++; // 36 x 3
            } while (--n > 0);
    }
}
static int tangle(int n) {
    int i = 0;
    if (n & 1) goto middle;
    while (i < n) {
        work += 2; // 18 x 3
        if (n == 6) goto end;
    middle:
        work += 3; // 22 x 3
        i += 2;
    }
end:
    return i;
}
int main(void) {
    int sum = 0;
    for (int i = 1; i <= 20; i++) copy(i);
    for (int i = 0; i < 10; i++) sum += tangle(i);
    printf("%d %d\n", work, sum);
}
