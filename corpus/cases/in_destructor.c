#include <stdio.h>
int ran;
__attribute__((destructor)) static void after(void) { for (int i = 0; i < 5; i++) ran++; fprintf(stderr, "%d\n", ran); }
int main(void) { return 0; }
