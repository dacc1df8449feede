// Inline assembly with memory, clobbers and an output; a naked system call in assembly does not end anything.
// expect ask calls=10
// expect spin calls=10
#include <stdio.h>
static volatile int work;
static long ask(void) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(39L) : "rcx", "r11", "memory"); // 10 x 2
    return result;
}
static void spin(int n) {
    int left = n + 1;
    __asm__ volatile("1: dec %0; jnz 1b" : "+r"(left) : : "cc");
    work += left; // 10 x 4
}
int main(void) {
    long own = ask(), sum = 0;
    for (int i = 1; i < 10; i++) sum += ask() == own;
    for (int i = 0; i < 10; i++) spin(i);
    printf("%ld %d\n", sum, work);
}
