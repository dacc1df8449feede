// Goes on as another program.
// Rejected: outside-function, main, goes on as another program
#define _GNU_SOURCE
#include <unistd.h>
int main(void) { return execl("/bin/true", "true", (char *)0); }
