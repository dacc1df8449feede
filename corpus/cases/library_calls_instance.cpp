#include <string>
int main() { std::string a("12345678"); std::string b(a, 2); return b.size() - 6; }
