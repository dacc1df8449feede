// A way of its own to jump back, in another object, and marked as one that never returns.
// object parts/jump_own.s
// segments exact
// quality lower bound: could have run
// expect main calls=1
#include <stdio.h>
typedef void *jb[8];
int sj(jb) __attribute__((returns_twice));
void lj(jb,int) __attribute__((noreturn));
static jb b; static volatile int w;
__attribute__((noinline)) static void deep(int n){ w++; if(n) deep(n-1); else lj(b,1); w++; }
int main(){ volatile int k=0; int r=sj(b); if(k<10){ k++; deep(k); } printf("%d %d\n",w,r); }
