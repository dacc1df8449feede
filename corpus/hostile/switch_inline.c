// The same by inline assembly.
// expect yield calls=40
// expect work calls=20
// expect sw calls=80
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct ctx{ void*sp; };
static __attribute__((noinline)) void sw(struct ctx*from,struct ctx*to){ __asm__ volatile("leaq 1f(%%rip),%%rax; pushq %%rbp; pushq %%rbx; pushq %%rax; movq %%rsp,(%0); movq (%1),%%rsp; ret; 1: popq %%rbx; popq %%rbp"::"D"(from),"S"(to):"rax","rcx","rdx","r8","r9","r10","r11","r12","r13","r14","r15","memory","cc"); }
static struct ctx main_,co; static volatile int w, out;
__attribute__((noinline)) static void yield(void){ w++; sw(&co,&main_); w++; }
__attribute__((noinline)) static void work(int n){ for(int i=0;i<n;i++){ out+=i; yield(); } w+=1000; }
static void entry(void){ work(4); for(;;) yield(); }
static char st[65536] __attribute__((aligned(16)));
static void start(void){ void**sp=(void**)(st+sizeof st); *--sp=0; *--sp=(void*)entry; co.sp=sp; }
int main(int c,char**v){ int rounds=c>1?atoi(v[1]):20; for(int r=0;r<rounds;r++){ start(); for(int k=0;k<2;k++) sw(&main_,&co); } printf("%d %d\n",w,out); return 0; }
