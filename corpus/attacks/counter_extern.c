// Names the counter and sets it back.
// Rejected: reserved-name, refers to opc_fuel, main:4
extern long opc_fuel;
int main(void) {
  for (;;) opc_fuel = 1L << 60;
}
