// The same in C++: the exception is not caught.
// Ends: memory
#include <vector>
int main() {
  std::vector<std::vector<char>> all;
  for (;;) all.emplace_back(1 << 20);
}
