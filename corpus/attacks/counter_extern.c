// Names the counter and sets it back.
// Rejected: reserved-name, opc_fuel
extern long opc_fuel;
int main(void) {
  for (;;) opc_fuel = 1L << 60;
}
