// The same in C++: the exception is not caught.
// Ends: memory
#include <memory>
#include <vector>
int main() {
  std::vector<std::unique_ptr<char[]>> all;
  for (;;) all.emplace_back(new char[1 << 20]);
}
