#include <string.h>
#include <stddef.h>
static char pool[1 << 16];
static size_t at;
void *malloc(size_t n) { void *p = pool + at; at += (n + 15) & ~(size_t)15; return p; }
void free(void *p) { (void)p; }
int main(void) { char *s = strdup("hello"); return s[0] == 'x'; }
