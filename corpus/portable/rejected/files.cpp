// Rejected: any: uses opc_a_portable_program_opens_no_files
#include <fstream>
#include <iostream>
int main() {
  std::ifstream map("map.txt");
  int width = 0;
  map >> width;
  std::cout << width << "\n";
}
