// Work on another thread.
// Rejected: outside-function, main, starts threads
#include <pthread.h>
static void *work(void *given) { return given; }
int main(void) {
  pthread_t thread;
  return pthread_create(&thread, 0, work, 0);
}
