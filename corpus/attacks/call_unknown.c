// A function of which nothing is known, which another library may bring.
// Rejected: outside-function, main:5, of which nothing is known
int somewhere_else(int);
int main(void) {
  return somewhere_else(1);
}
