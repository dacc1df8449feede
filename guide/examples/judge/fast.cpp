// Counts inversions: pairs of numbers that stand in the wrong order. Merge sort, n log n steps.
#include <algorithm>
#include <iostream>
#include <vector>

static long sort_and_count(std::vector<int> &numbers, std::vector<int> &spare, size_t low, size_t high) {
  if (high - low < 2) return 0;
  size_t middle = low + (high - low) / 2;
  long inversions = sort_and_count(numbers, spare, low, middle) + sort_and_count(numbers, spare, middle, high);
  size_t left = low, right = middle, at = low;
  while (left < middle && right < high) {
    if (numbers[left] <= numbers[right]) {
      spare[at++] = numbers[left++];
    } else {
      inversions += middle - left;
      spare[at++] = numbers[right++];
    }
  }
  while (left < middle) spare[at++] = numbers[left++];
  while (right < high) spare[at++] = numbers[right++];
  std::copy(spare.begin() + low, spare.begin() + high, numbers.begin() + low);
  return inversions;
}

int main() {
  std::vector<int> numbers;
  for (int one; std::cin >> one;) numbers.push_back(one);
  std::vector<int> spare(numbers.size());
  std::cout << sort_and_count(numbers, spare, 0, numbers.size()) << '\n';
}
