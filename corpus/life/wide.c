// Too wide for a register: FastISel leaves it to the graph.
__int128 product(__int128 a, __int128 b) {
  return a * b;
}
