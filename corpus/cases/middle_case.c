#include <stdlib.h>
int g;
__attribute__((noinline)) void sel(int a){ switch(a){ case 1: g+=5; break; case 2: g-=9; break; } }
int main(int ac,char**av){ for(int i=1;i<ac;i++) sel(atoi(av[i])); return g&1; }
