// Members of std::string and streams, on every place and length of short strings.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <list>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>

static unsigned long seed = 1;
static unsigned draw(unsigned below) {
  seed = seed * 6364136223846793005UL + 1442695040888963407UL;
  return (unsigned)(seed >> 33) % below;
}
static std::string some() {
  std::string text;
  for (unsigned i = draw(draw(4) ? 6 : 90); i > 0; i--) text += (char)('a' + draw(3));
  return text;
}
static unsigned long sum;
static void take(unsigned long value) { sum = sum * 31 + value; }
static void take(const std::string &text) {
  for (char c : text) take((unsigned long)c);
  take(text.size());
}
static int sign(int order) { return order < 0 ? 1 : order > 0 ? 2 : 3; }

static void strings() {
  for (int round = 0; round < 3000; round++) {
    std::string s = some(), t = some();
    size_t a = draw(8), n = draw(5) ? draw(6) : std::string::npos, m = draw(20);
    const char *p = t.c_str();
    try {
      switch (draw(24)) {
      case 0: s.insert(a, t); break;
      case 1: s.insert(a, p); break;
      case 2: s.insert(a, m, 'x'); break;
      case 3: s.erase(a, n); break;
      case 4: s.replace(a, n, t); break;
      case 5: s.replace(a, n, p); break;
      case 6: s.append(t); break;
      case 7: s += p; break;
      case 8: s = s.substr(a, n); break;
      case 9: s.resize(m); break;
      case 10: s.resize(m, 'y'); break;
      case 11: s.assign(p); break;
      case 12: s = t; break;
      case 13: s.reserve(m * 9), s.shrink_to_fit(); break;
      case 14: s.insert(0, s); break;
      case 15: take((unsigned long)sign(s.compare(t))), take((unsigned long)sign(s.compare(p))); break;
      case 16: take((unsigned long)sign(s.compare(a, n, t))), take((unsigned long)sign(s.compare(a, n, p))); break;
      case 17: take(s.find(t, a)), take(s.find(p, a)), take(s.find('b', a)); break;
      case 18: take(s.rfind(t, a)), take(s.rfind(p)), take(s.rfind('b', a)), take(s.rfind('b')); break;
      case 19: take(s.find_first_of(t, a)), take(s.find_first_of(p, a)), take(s.find_first_of('c', a)); break;
      case 20: take(s.find_last_of(t, a)), take(s.find_last_of(p)), take(s.find_last_of('c', a)); break;
      case 21: take(s.find_first_not_of(t, a)), take(s.find_first_not_of('a')), take(s.find_first_not_of("")); break;
      case 22: take(s.find_last_not_of(t, a)), take(s.find_last_not_of('a')), take(s.find_last_of("")); break;
      case 23: take(s.find("", a)), take(s.rfind("")), take(s.find(std::string(), a)); break;
      }
    } catch (const std::out_of_range &) {
      take(7);
    }
    take(s);
  }
  std::printf("strings %lu\n", sum);
}

static void streams() {
  std::ostringstream out;
  out << std::setw(12) << 42 << std::setw(9) << "text" << std::setw(3) << std::string("longer") << std::setw(5) << 'c'
      << std::fixed << std::setprecision(30) << 1e30 << ' ' << 1e-30 << std::scientific << 12345.678L << true << (void *)0;
  out.write("written", 7);
  std::string all = out.str();
  std::printf("%s\n", all.c_str());
  std::istringstream in("  12 \n -7 0000000000000000000000000001.5e1 word  another\nline of words\n#rest:of it\nend");
  int a = 0;
  long b = 0;
  double d = 0;
  std::string w, line;
  char c = 0;
  in >> a >> b >> d >> w >> w >> std::ws;
  std::getline(in, line);
  in >> c;
  std::getline(in, w, ':');
  in.ignore(100, '\n');
  std::printf("%d %ld %g %s|%s|%c\n", a, b, d, w.c_str(), line.c_str(), c);
  in >> w >> w;
  std::printf("%d %d %s\n", in.eof(), in.fail(), w.c_str());
  std::istringstream bad("000000000xyz");
  bad.exceptions(std::ios::failbit);
  try {
    bad >> a >> b;
  } catch (const std::ios_base::failure &) {
    std::printf("failed after %d\n", a);
  }
  out.str("new"), std::printf("%s\n", out.str().c_str());
  double x = 0;
  auto end = std::from_chars("12.5e-3rest", "12.5e-3rest" + 11, x);
  std::printf("%g %s %g %g %g\n", x, end.ptr, std::fmod(1e300, 7.3), std::fmod(-5e-324, 3e-324), std::remainder(1e17, 3));
}

static void containers() {
  std::list<int> l;
  std::map<int, std::string> m;
  std::set<std::string> s;
  std::unordered_map<std::string, int> u;
  for (int i = 0; i < 2000; i++) {
    unsigned key = draw(500);
    l.push_back((int)key), m[(int)key] += 'x', s.insert(some());
    u[some()]++;
    if (i % 3 == 0) m.erase((int)draw(500)), s.erase(some());
    if (i % 100 == 0) l.reverse(), l.sort();
  }
  std::list<int> other(3, 5);
  l.splice(l.begin(), other), l.swap(other), l.merge(other), l.reverse();
  for (int value : l) take((unsigned long)value);
  for (auto &[key, value] : m) take((unsigned long)key), take(value);
  for (auto at = s.rbegin(); at != s.rend(); ++at) take(*at);
  take(u.size());
  std::printf("containers %lu\n", sum);
}

int main() {
  strings(), streams(), containers();
  char text[40], more[40];
  int n = 0, k = 0;
  double d = 0;
  int read = std::sscanf("12 abc 1.5 xyz rest", "%d %s %lf x%c%n %[a-z]", &n, text, &d, more, &k, more + 1);
  std::printf("%d %d %s %g %d %.5s\n", read, n, text, d, k, more + 1);
  std::printf("%*d|%-*.*f|%.*s|\n", 9, 5, 12, 3, 2.5, 2, "abc");
  std::printf("%5.1Lf %hhd %lld %zu %c %% %p\n", 2.25L, 300, 1LL << 40, (size_t)9, 'c', (void *)0);
}
