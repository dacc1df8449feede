// The same through a pointer.
// object parts/switch.s
// segments exact
// quality lower bound: switched stacks or jumped
// expect start calls=20
#include <stdio.h>
struct ctx{ void*sp; };
void sw(struct ctx*from,struct ctx*to);
void (*volatile psw)(struct ctx*,struct ctx*)=sw;
static struct ctx main_,co; static volatile int w, out;
__attribute__((noinline)) static void yield(void){ w++; psw(&co,&main_); w++; }
__attribute__((noinline)) static void work(int n){ for(int i=0;i<n;i++){ out+=i; yield(); } w+=1000; }
static void entry(void){ work(4); for(;;) yield(); }
static char st[65536] __attribute__((aligned(16)));
__attribute__((noinline)) static void start(void){ void**sp=(void**)(st+sizeof st); *--sp=0; *--sp=(void*)entry; for(int i=0;i<6;i++) *--sp=0; co.sp=sp; }
int main(int c,char**v){ for(int r=0;r<20;r++){ start(); for(int k=0;k<2;k++) psw(&main_,&co); } printf("%d %d\n",w,out); return 0; }
