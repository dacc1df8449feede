// Counts inversions by looking at every pair: n * n steps.
#include <iostream>
#include <vector>

int main() {
  std::vector<int> numbers;
  for (int one; std::cin >> one;) numbers.push_back(one);
  long inversions = 0;
  for (size_t left = 0; left < numbers.size(); left++)
    for (size_t right = left + 1; right < numbers.size(); right++)
      if (numbers[left] > numbers[right]) inversions++;
  std::cout << inversions << '\n';
}
