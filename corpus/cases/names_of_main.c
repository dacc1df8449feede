#include <stdio.h>
static int __attribute__((noinline)) parse(int argc, char **argv) { int t = 0; for (int i = 0; i < argc; i++) t += argv[i][0]; return t; }
int main(int argc, char **argv) { printf("%d\n", parse(argc - 1, argv + 1)); return parse(0, argv) != 0; }
