/* A bot that never comes to an answer. */
void move(int *answer) {
  for (volatile unsigned thought = 0;; thought++) *answer = 0;
}
