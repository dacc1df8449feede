/* A server that answers one question: how far are two words apart?
 *
 * server SOCKET listens on a Unix socket. Each line of a client is a word; the answer is the nearest
 * word of the dictionary by edit distance. It runs until a signal ends it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { WORDS = 400, LENGTH = 16 };

static char dictionary[WORDS][LENGTH];

static void make_dictionary(void) {
  unsigned state = 1;
  for (int word = 0; word < WORDS; word++)
    for (int at = 0; at < LENGTH - 1; at++) {
      state = state * 1664525 + 1013904223;
      dictionary[word][at] = (char)('a' + (state >> 16) % 8);
    }
}

static int least(int a, int b, int c) {
  int two = a < b ? a : b;
  return two < c ? two : c;
}

__attribute__((noinline)) static int distance(const char *left, const char *right) {
  int row[LENGTH + 1];
  int columns = (int)strlen(right);
  for (int column = 0; column <= columns; column++) row[column] = column;
  for (int line = 1; left[line - 1]; line++) {
    int corner = row[0];
    row[0] = line;
    for (int column = 1; column <= columns; column++) {
      int above = row[column];
      row[column] = least(above + 1, row[column - 1] + 1, corner + (left[line - 1] != right[column - 1]));
      corner = above;
    }
  }
  return row[columns];
}

__attribute__((noinline)) static const char *nearest(const char *word) {
  int best = LENGTH;
  const char *answer = "";
  for (int at = 0; at < WORDS; at++) {
    int now = distance(word, dictionary[at]);
    if (now < best) best = now, answer = dictionary[at];
  }
  return answer;
}

static void serve(int client) {
  FILE *in = fdopen(client, "r+");
  char line[LENGTH + 1];
  while (in && fgets(line, sizeof line, in)) {
    line[strcspn(line, "\n")] = 0;
    fprintf(in, "%s\n", nearest(line));
    fflush(in);
  }
  if (in) fclose(in);
}

int main(int count, char **words) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, count > 1 ? words[1] : "words.sock", sizeof address.sun_path - 1);
  int door = socket(AF_UNIX, SOCK_STREAM, 0);
  make_dictionary();
  unlink(address.sun_path);
  if (bind(door, (struct sockaddr *)&address, sizeof address) || listen(door, 8)) return perror("bind"), 1;
  for (;;) serve(accept(door, NULL, NULL));
}
