// Streams as programs use them: C's functions beside them, lines, own types, own buffers, iterators.
// System: the same output.
// Input: 3 4.5 word\n  a line with spaces  \nkey=value;rest\n1 2 3 x 17 0x1f\nabcdef\nlast 1 2 3 4 5
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

struct Early {
  Early() { std::cout << "before main\n"; }
  ~Early() { std::cout << "after main\n"; }
};
static Early early;

struct Point {
  int x, y;
  friend std::ostream &operator<<(std::ostream &to, const Point &p) { return to << '(' << p.x << ',' << p.y << ')'; }
  friend std::istream &operator>>(std::istream &from, Point &p) {
    char open, comma, close;
    if (from >> open >> p.x >> comma >> p.y >> close && (open != '(' || comma != ',' || close != ')'))
      from.setstate(std::ios::failbit);
    return from;
  }
};

// Counts what passes, in capitals.
class Shout : public std::streambuf {
  std::streambuf *to;
  int overflow(int c) override {
    if (c == EOF) return 0;
    count++;
    return to->sputc((char)(c >= 'a' && c <= 'z' ? c - 32 : c));
  }

 public:
  int count = 0;
  explicit Shout(std::streambuf *t) : to(t) {}
};
// Gives the same text a few characters at a time.
class Drip : public std::streambuf {
  char room[3];
  int left = 10;
  int underflow() override {
    if (left-- == 0) return EOF;
    room[0] = (char)('a' + left);
    room[1] = left % 3 ? 'z' : ' ';
    setg(room, room, room + 2);
    return room[0];
  }
};

static std::ostream &comma(std::ostream &to) { return to << ", "; }

static void reading() {
  int n;
  double d;
  std::string word, line;
  char c, room[16];
  std::cin >> n >> d;
  std::cin >> word;
  std::printf("%d %g %s\n", n, d, word.c_str());
  std::cout << "next is " << std::cin.peek() << '\n';
  std::cin.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  std::getline(std::cin, line);
  std::cout << '[' << line << "] " << line.size() << '\n';
  std::getline(std::cin, word, '=');
  std::cin.getline(room, sizeof room, ';');
  std::cout << word << " is " << room << ' ' << std::cin.gcount() << '\n';
  std::printf("C goes on with '%c'\n", std::getchar());
  c = (char)std::cin.get();
  std::cin.unget();
  std::printf("%c again: %c\n", c, std::getchar());
  std::cin.putback('e');
  std::cin >> word;
  std::cout << word << '\n';
  std::vector<int> numbers;
  while (std::cin >> n) numbers.push_back(n);
  std::cout << numbers.size() << " numbers, state " << std::cin.rdstate() << (std::cin ? " good" : " not good") << !std::cin << '\n';
  std::cin.clear();
  std::cin >> c;
  std::scanf("%d", &n);
  std::cout << c << n << ' ';
  std::cin >> std::hex >> n >> std::dec;
  std::cout << n << '\n';
  std::cin >> std::ws;
  std::cin.read(room, 3);
  room[std::cin.gcount()] = 0;
  std::cout << room << ' ';
  std::cin >> std::setw(3) >> room;
  std::cout << room << ' ' << std::cin.width() << '\n';
  std::cin >> word >> line;
  std::cout << word << ' ' << line << ' ';
  std::vector<long> rest{std::istream_iterator<long>(std::cin), std::istream_iterator<long>()};
  for (long each : rest) std::cout << each << ' ';
  std::cout << std::cin.eof() << std::cin.fail() << std::cin.bad() << std::cin.good() << '\n';
  std::cout << std::getchar() << ' ' << std::cin.get() << '\n';
}

static void texts() {
  std::ostringstream out;
  out << "a" << 1 << comma << 2.5 << comma << Point{1, -2} << std::ends;
  std::cout << out.str().size() << ' ' << out.str().c_str() << ' ' << out.tellp() << '\n';
  out.str("longer than before");
  out << "over";
  std::cout << out.str() << '\n';
  std::ostringstream more("start", std::ios::ate);
  more << "-end";
  std::cout << more.str() << '\n';
  std::stringstream both("10 20 (3,4) (5;6)");
  int a, b;
  Point p{0, 0};
  both >> a >> b >> p;
  std::cout << a + b << p << both.good();
  both >> p;
  std::cout << both.fail() << both.eof() << '\n';
  both.clear();
  both.str("");
  for (int i = 0; i < 200; i++) both << i << ' ';
  long sum = 0, count = 0;
  for (int i; both >> i; count++) sum += i;
  std::cout << sum << ' ' << count << ' ' << both.str().size() << ' ' << both.eof() << '\n';
  std::stringstream moved = std::move(both);
  moved.clear();
  moved << "end";
  std::string word;
  moved >> word;
  std::cout << word << ' ' << moved.str().size() << '\n';
  std::stringstream other("swapped");
  other.swap(moved);
  moved >> word;
  std::cout << word << ' ' << other.str().size() << '\n';
  std::cout << (std::ostringstream() << "made " << 7 << " here").str() << '\n';
  std::istringstream("5 6") >> a >> b;
  std::cout << a << b << '\n';
  std::istringstream lines("one\ntwo\n\nfour");
  for (std::string line; std::getline(lines, line);) std::cout << line.size() << line << ';';
  std::cout << lines.rdstate() << '\n';
  std::istringstream csv("1,2;3,,4");
  for (std::string row; std::getline(csv, row, ';');) {
    std::istringstream cells(row);
    for (std::string cell; std::getline(cells, cell, ',');) std::cout << '<' << cell << '>';
  }
  std::cout << '\n';
  std::istringstream all("every character\nof it");
  std::string text{std::istreambuf_iterator<char>(all), std::istreambuf_iterator<char>()};
  std::cout << text << ' ' << text.size() << '\n';
  std::copy(text.begin(), text.begin() + 5, std::ostream_iterator<char>(std::cout, "."));
  std::copy(text.begin(), text.begin() + 5, std::ostreambuf_iterator<char>(std::cout));
  std::istringstream again(text);
  std::copy(std::istreambuf_iterator<char>(again), std::istreambuf_iterator<char>(), std::ostreambuf_iterator<char>(std::cout));
  std::cout << '\n' << std::istringstream("copied whole").rdbuf() << '\n';
  std::wostringstream wide;
  wide << L"wide " << 12 << ' ' << std::setw(6) << 1.5 << " narrow";
  std::wistringstream from(wide.str());
  std::wstring wide_word;
  int number = 0;
  from >> wide_word >> number;
  std::cout << wide.str().size() << ' ' << wide_word.size() << ' ' << number << '\n';
}

static void buffers() {
  Shout shout(std::cout.rdbuf());
  std::streambuf *before = std::cout.rdbuf(&shout);
  std::cout << "loud " << 12.5 << std::setw(8) << std::hex << 254 << std::endl;
  std::cout.rdbuf(before);
  std::cout << shout.count << std::dec << '\n';
  Drip drip;
  std::istream dripping(&drip);
  std::string word;
  while (dripping >> word) std::cout << word << '/';
  std::cout << '\n';
  std::ostringstream kept;
  before = std::cout.rdbuf(kept.rdbuf());
  std::cout << "kept";
  std::cout.rdbuf(before);
  std::cout << kept.str() << '\n';
  std::istringstream source("17 18");
  before = std::cin.rdbuf(source.rdbuf());
  int a = 0, b = 0;
  std::cin >> a >> b;
  std::cin.rdbuf(before);
  std::cout << a << b << std::cin.good() << '\n';
  std::ostream nowhere(nullptr);
  nowhere << "lost";
  std::cout << nowhere.bad() << nowhere.fail() << '\n';
}

static void forms() {
  std::cout << std::setfill('.') << std::left << std::setw(8) << "left" << std::right << std::setw(8) << "right" << std::internal
            << std::setw(8) << -42 << std::setw(10) << std::hex << std::showbase << 255 << std::dec << '\n';
  std::ios kept(nullptr);
  kept.copyfmt(std::cout);
  std::cout << std::uppercase << std::scientific << std::setprecision(3) << 12345.678 << ' ' << std::showpos << 1 << ' ' << 0.5f << '\n';
  std::cout.copyfmt(kept);
  std::cout << 12345.678 << ' ' << std::cout.fill() << std::cout.flags() << ' ' << std::cout.precision() << '\n';
  std::cout.unsetf(std::ios::showbase);
  std::cout.setf(std::ios::fixed, std::ios::floatfield);
  std::streamsize was = std::cout.precision(2);
  std::cout << 3.14159 << ' ' << 2.5e10 << ' ' << was << std::defaultfloat << std::setprecision(6) << '\n';
  std::cout << std::boolalpha << true << ' ' << false << std::noboolalpha << true << ' ' << nullptr << ' ' << (void *)nullptr << ' '
            << (const void *)0xbeef << '\n';
  std::cout << std::setiosflags(std::ios::showpoint) << 1.0 << ' ' << std::resetiosflags(std::ios::showpoint) << 1.0 << ' '
            << std::setbase(16) << 100 << std::setbase(0) << ' ' << 100 << '\n';
  std::cout << 1e100 << ' ' << 1.0 / 3 << ' ' << 100000.0 << ' ' << 1000000.0 << ' ' << -0.0 << ' ' << 1e-5 << ' ' << 0.1f << '\n';
  std::cout << (signed char)'s' << (unsigned char)'u' << short(-1) << std::oct << short(-1) << std::dec << ' ' << 'x' << (int)'x' << '\n';
  std::cout << static_cast<const char *>("ptr") << ' ' << std::string("a\0b", 3).size() << std::string("a\0b", 3) << '\n';
  static const int word = std::ios_base::xalloc();
  std::cout.iword(word) = 5;
  std::cout << std::cout.iword(word) << ' ' << (std::cout.tie() == nullptr) << (std::cin.tie() == &std::cout) << '\n';
  std::cout.put('p').write("write", 5).put('\n').flush();
  std::cout.setstate(std::ios::failbit);
  std::cout << "not printed";
  std::cout.clear();
  std::cout << std::unitbuf << "printed" << std::nounitbuf << std::flush << std::endl;
  std::cerr << "errors " << 1 << '\n';
  std::clog << "log " << 2 << std::endl;
}

int main() {
  reading();
  texts();
  buffers();
  forms();
  std::puts("C's last line");
  return std::cout.good() ? 0 : 1;
}
