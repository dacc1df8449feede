// Calls the function by which the program is stopped, at a moment of its own.
// Rejected: reserved-name, opc_fuel_used_up
void opc_fuel_used_up(const void *site);
int main(void) {
  opc_fuel_used_up("xxxxxxxxxxxxxxxx");
  return 0;
}
