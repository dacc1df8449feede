// Strings take texts that lie before and behind them: which it is must cost the same.
// System: the same output.
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
}
