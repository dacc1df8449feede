// Exceptions that pass many frames: argv[1] says how, argv[2] how many frames, argv[3] how often.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

static volatile int sink;
static std::vector<int> none;

struct Counted {
  ~Counted() { sink = sink + 1; }
};

__attribute__((noinline)) static int plain(int frames, char how) {
  if (frames == 0) {
    if (how == 'a') return none.at((size_t)sink + 1000000);
    if (how == 's') return (int)std::string("short").substr((size_t)sink + 1000000).size();
    if (how == 'i') return std::stoi("no number");
    throw frames;
  }
  int result = plain(frames - 1, how);
  sink = result;
  return result + 1;
}

__attribute__((noinline)) static int cleaning(int frames) {
  Counted counted;
  if (frames == 0) throw frames;
  int result = cleaning(frames - 1);
  sink = result;
  return result + 1;
}

__attribute__((noinline)) static int again(int frames) {
  if (frames == 0) throw frames;
  try {
    int result = again(frames - 1);
    sink = result;
    return result + 1;
  } catch (...) {
    throw;
  }
}

__attribute__((noinline)) static int once_more(int frames) {
  try {
    return plain(frames, 't');
  } catch (int) {
    sink = 3;
    throw;
  }
}

int main(int, char **argv) {
  char how = argv[1][0];
  int frames = atoi(argv[2]), caught = 0;
  for (int times = atoi(argv[3]); times > 0; times--) {
    sink = 0;
    try {
      caught += how == 'c' ? cleaning(frames) : how == 'g' ? again(frames) : how == 'm' ? once_more(frames) : plain(frames, how);
    } catch (int thrown) {
      caught += thrown + 1;
    } catch (const std::exception &) {
      caught++;
    }
  }
  printf("%d\n", caught);
}
