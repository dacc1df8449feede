// What the library does here goes with no argument that is charged: --check says so.
#include <ctime>
#include <iomanip>
#include <iostream>
#include <locale>
#include <regex>
int main() {
  std::regex pattern("a+b");
  std::cout << std::regex_match("aaab", pattern) << "\n";
  std::wcout << L"wide";
  std::locale::global(std::locale("C"));
  std::time_t zero = 0;
  std::cout << std::put_time(std::gmtime(&zero), "%Y") << "\n";
}
