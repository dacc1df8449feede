// Sums the squares of the numbers on standard input.
#include <iostream>

int main() {
  long sum = 0, one;
  while (std::cin >> one) sum += one * one;
  std::cout << sum << '\n';
}
