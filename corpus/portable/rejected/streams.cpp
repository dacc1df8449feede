// Rejected: any: refers to _ZSt4cout
#include <iostream>
int main() {
  std::cout << "hello\n";
}
