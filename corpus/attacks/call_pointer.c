// The address of such a function, which is called through a pointer.
// Rejected: outside-function, starts or awaits processes
#include <stdlib.h>
static int (*const table[])(const char *) = {system};
int main(int count, char **arguments) { return table[count - 1]("true"); }
