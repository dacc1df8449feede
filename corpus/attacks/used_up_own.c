// Defines the function by which the program is stopped.
// Rejected: reserved-name, opc_fuel_used_up
void opc_fuel_used_up(const void *site) {}
int main(void) {
  for (;;);
}
