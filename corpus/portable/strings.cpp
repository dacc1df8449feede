// Strings take texts that lie before and behind them: which it is must cost the same.
// System: the same output.
#include <cfloat>
#include <cstdio>
#include <string>

static char table[100] = "in a table of the program";

int main() {
  std::string s = "begin with a long one so that it lies in the heap", t;
  char local[] = "on the stack";
  for (int i = 0; i < 100; i++) {
    s = table;
    s = "x";
    t = "short";
    t = local;
    s = local;
    s = t.c_str();
    t.replace(0, 1, s.c_str());
    t.assign(t.data() + 2, 5);
  }
  std::printf("%s %s\n", s.c_str(), t.c_str());
  // Numbers with a fraction as text: the least, the greatest, what rounds up.
  const double numbers[] = {0.1, -0.0, 2.5e-7, 0.9999995, 123456.7890625, -1e21, DBL_MAX};
  for (double x : numbers)
    std::printf("%s %s %s\n", std::to_string(x).c_str(), std::to_string((float)x / 2).c_str(),
                std::to_string((long double)x).c_str());
}
