// Talks to others.
// Rejected: outside-function, main, talks to others
#define _GNU_SOURCE
#include <sys/socket.h>
#include <unistd.h>
int main(void) { return socket(AF_INET, SOCK_STREAM, 0); }
