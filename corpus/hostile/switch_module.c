// Coroutines by a stack switch in assembly beside the functions; in each round one is
// given up in the middle of its second call, 20 frames in all.
// expect yield calls=40
// expect work calls=20
// expect entry calls=20
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct ctx{ void*sp; };
void sw(struct ctx*from,struct ctx*to);
__asm__(".text\n.globl sw\n.type sw,@function\nsw: pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n movq %rsp,(%rdi)\n movq (%rsi),%rsp\n popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret\n.size sw,.-sw\n");
static struct ctx main_,co; static volatile int w, out;
__attribute__((noinline)) static void yield(void){ w++; sw(&co,&main_); w++; }
__attribute__((noinline)) static void work(int n){ for(int i=0;i<n;i++){ out+=i; yield(); } w+=1000; }
static void entry(void){ work(4); for(;;) yield(); }
static char st[65536] __attribute__((aligned(16)));
static void start(void){ void**sp=(void**)(st+sizeof st); *--sp=0; *--sp=(void*)entry; for(int i=0;i<6;i++) *--sp=0; co.sp=sp; }
int main(int c,char**v){ int rounds=c>1?atoi(v[1]):20; for(int r=0;r<rounds;r++){ start(); for(int k=0;k<2;k++) sw(&main_,&co); } printf("%d %d\n",w,out); return 0; }
