// Rejected: it writes to its counter, in main, atomic.c:6
extern long opc_fuel_memory[];
long *volatile at = opc_fuel_memory;
int main(void) {
  long *counter = at;
  __atomic_fetch_add(counter, 1000000, __ATOMIC_SEQ_CST);
  return 0;
}
