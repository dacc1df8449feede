/* A bot that finds its move in time. */
void move(int *answer) {
  int best = 0;
  for (int candidate = 0; candidate < 10000; candidate++)
    if (candidate * candidate % 10007 > best * best % 10007) best = candidate;
  *answer = best;
}
