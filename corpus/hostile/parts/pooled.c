/* Counted; its calls run in the thread of a library (pool.c). */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pool_begin(const char *style);
void pool_do(void (*what)(int), int times);
void pool_stop(void);
void pool_interrupt(void);

static volatile int sum;
static const char *style = "";

__attribute__((noinline)) static void add(int value) { sum += value; }

__attribute__((noinline)) static void step(int number) {
    for (int i = 0; i < number % 7; i++) add(i);
    if (number == 999 && strstr(style, "stay")) pool_stop();
    if (number == 999 && strstr(style, "interrupt")) {
        pool_interrupt();
        for (;;) sum++;
    }
}

int main(int count, char **words) {
    if (count > 1) style = words[1];
    pool_begin(style);
    if (strstr(style, "idle")) {
        for (int i = 0; i < 1000; i++) step(i);
    } else {
        pool_do(step, 1000);
    }
    if (strstr(style, "fork") && fork() == 0) step(6);
    if (strstr(style, "exit")) exit(0);
    if (strstr(style, "leave")) _exit(0);
    return 0;
}
