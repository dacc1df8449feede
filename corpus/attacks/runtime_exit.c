// Takes the place of the function by which the runtime ends the program.
// Rejected: reserved-name, _exit
void _exit(int status) {
  for (;;);
}
int main(void) {
  for (;;);
}
