// A loop that becomes vectors: one addition is several, and scalar ones remain.
void add(int *restrict to, const int *restrict from, int n) {
  for (int i = 0; i < n; i++)
    to[i] += from[i];
}
