// Containers, strings, algorithms, virtual functions, objects outside functions.
#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

struct Noisy {
  const char *name;
  explicit Noisy(const char *n) : name(n) { std::printf("+%s ", name); }
  ~Noisy() { std::printf("-%s\n", name); }
};
static Noisy first("first"), second("second");

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square : Shape {
  double side;
  explicit Square(double s) : side(s) {}
  double area() const override { return side * side; }
};
struct Circle : Shape {
  double radius;
  explicit Circle(double r) : radius(r) {}
  double area() const override { return 3 * radius * radius; }
};

static Noisy &late() {
  static Noisy it("late");
  return it;
}

int main() {
  std::map<std::string, int> words;
  std::string text = "the quick brown fox jumps over the lazy dog and the cat";
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find(' ', at), text.size());
    words[text.substr(at, end - at)]++;
    at = end + 1;
  }
  for (auto &[word, count] : words) std::printf("%s:%d ", word.c_str(), count);
  std::mt19937 random(42);
  std::set<int> tree;
  std::unordered_map<int, std::string> table;
  std::unordered_set<std::string> texts;
  std::vector<int> numbers;
  for (int i = 0; i < 2000; i++) {
    int x = (int)(random() % 1000);
    tree.insert(x);
    if (i % 3 == 0) tree.erase((int)(random() % 1000));
    table[x] += "x";
    texts.insert(std::to_string(x) + "-a-longer-text-than-the-small-buffer");
    numbers.push_back(x);
  }
  int order = 0;
  for (auto &[key, value] : table) order = (order * 31 + key + (int)value.size()) % 1000003;
  for (auto &word : texts) order = (order * 31 + word[0]) % 1000003;
  std::sort(numbers.begin(), numbers.end());
  std::stable_sort(numbers.begin(), numbers.end(), std::greater<>());
  std::nth_element(numbers.begin(), numbers.begin() + 50, numbers.end());
  auto last = std::unique(numbers.begin(), numbers.end());
  std::list<int> chain(numbers.begin(), last);
  chain.sort();
  chain.reverse();
  std::deque<int> ends(chain.begin(), chain.end());
  ends.push_front(-1);
  std::priority_queue<int> heap(ends.begin(), ends.end());
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.push_back(std::make_unique<Square>(1.5));
  shapes.push_back(std::make_unique<Circle>(0.5));
  auto shared = std::make_shared<std::vector<int>>(3, 4);
  std::function<long(long)> factorial = [&](long n) { return n < 2 ? 1 : n * factorial(n - 1); };
  double area = 0;
  for (auto &shape : shapes) area += shape->area();
  std::multimap<int, char> many{{2, 'b'}, {1, 'a'}, {2, 'c'}};
  std::tuple<int, std::string> pair{7, "seven"};
  std::optional<int> maybe = 3;
  std::array<int, 5> fixed{};
  std::iota(fixed.begin(), fixed.end(), 1);
  std::printf("\n%zu %zu %zu %d %zu %d %g %ld %zu %s %d %d %d\n", tree.size(), table.size(), texts.size(), order,
              chain.size(), heap.top(), area, factorial(15), many.count(2), std::get<1>(pair).c_str(), *maybe,
              std::accumulate(fixed.begin(), fixed.end(), 0), (int)shared->size());
  late();
  return *tree.rbegin() % 256;
}
