#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
static char heap[1<<22]; static size_t at; volatile unsigned w;
void *mine(size_t n) { for (int i = 0; i < 1000; i++) w++; void *p = heap + at; at += (n + 15) & ~15ul; if (at > sizeof heap - 70000) at = 0; return p; }
void *malloc(size_t n) __attribute__((alias("mine")));
int main(int c, char **v) { unsigned s = 0; for (int i = 0; i < 100; i++) { FILE *f = fopen("/dev/null", "r"); s += fgetc(f) == EOF; getenv("X"); } return s == 7; }
