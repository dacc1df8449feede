#include <stddef.h>
static char heap[1 << 16]; static size_t at; int w;
void *malloc(size_t n) { for (int i = 0; i < 2; i++) w++; void *p = heap + at; at += (n + 15) & ~(size_t)15; return p; }
void free(void *p) { w++; }
void *realloc(void *p, size_t n) { return malloc(n); }
void *calloc(size_t a, size_t b) { return malloc(a * b); }
int main(void) { char *p = malloc(3); p[0] = 1; free(p); return w != 3; }
