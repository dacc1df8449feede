/* load SOCKET QUESTIONS: asks a server for so many words, one after the other. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int count, char **words) {
  if (count != 3) return 2;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, words[1], sizeof address.sun_path - 1);
  int door = socket(AF_UNIX, SOCK_STREAM, 0);
  for (int tries = 0; connect(door, (struct sockaddr *)&address, sizeof address); tries++) {
    if (tries == 6000) return perror("connect"), 1;
    usleep(20000);
  }
  FILE *server = fdopen(door, "r+");
  char answer[64];
  int questions = atoi(words[2]), answers = 0;
  for (int at = 0; at < questions; at++) {
    fprintf(server, "%c%c%cdecafbadgag\n", 'a' + at % 7, 'a' + at % 5, 'a' + at % 3);
    fflush(server);
    if (fgets(answer, sizeof answer, server)) answers++;
  }
  printf("%d answers\n", answers);
  return 0;
}
