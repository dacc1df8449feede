// exec of the same counted program, three times over, out of a nested call.
// args 3
// processes 1
// expect main calls=4
// expect next calls=3
// expect done calls=1
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int work;
static void next(char *own, int n) {
    char text[16];
    snprintf(text, sizeof text, "%d", n);
    execl(own, own, text, NULL); // 3 x 4
    work = 0; // 0 x 1
}
static void done(void) { puts("done"); }
int main(int count, char **arguments) {
    int n = count > 1 ? atoi(arguments[1]) : 0;
    if (n) next("/proc/self/exe", n - 1);
    done(); // 1 x 1
}
