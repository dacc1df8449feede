// The same without a word of it to the compiler: whoever comes back does so by a switch, not as setjmp does.
// object parts/switch.s
// segments exact
// quality lower bound: switched stacks or jumped
// expect give_up calls=5
#include <stdio.h>
struct ctx { void *sp; };
void sw(struct ctx *from, struct ctx *to);
__attribute__((noreturn)) static void never(struct ctx *from, struct ctx *to) {
    sw(from, to);
    __builtin_unreachable();
}
static struct ctx main_, co;
static volatile int w;
static char st[65536] __attribute__((aligned(16)));
__attribute__((noinline)) static void give_up(int n) { w += n; never(&co, &main_); }
static void entry(void) { give_up(2); }
int main(void) {
    for (int i = 0; i < 5; i++) {
        void **sp = (void **)(st + sizeof st);
        *--sp = 0; *--sp = (void *)entry;
        for (int k = 0; k < 6; k++) *--sp = 0;
        co.sp = sp;
        sw(&main_, &co);
    }
    printf("%d\n", w);
}
