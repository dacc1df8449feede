// Which of the calls can be the worst? Of two calls the one that did less, and was
// charged as much or more besides the weight, cannot be, whatever the weight is. What
// is left is few of a million: it is kept in order of what was charged, and so also of
// what was done. Where it is many, the corners of its hull are left. So a draw costs no
// line of a file.
//
// What one call of an allocator puts in order, others have left: all calls with the
// same words and a length that is charged alike count together.
//
// notes.txt: NAME DONE CHARGED CALLS [of WORDS], and for each function how many calls
// were measured, how many of them are usual, and what was charged for these:
// `all NAME CALLS USUAL CHARGED`.
#ifdef WORST
#include "at.h"
#include "kept.h"
#include "draw.h"
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Kept {
  size_t charged, done, calls, words;
};

// Nothing of it lies in memory that the program allocates. Words stay in their place, so that little is moved.
struct Function {
  static constexpr size_t MOST = 1500, MANY_CORNERS = 100, LETTERS = 136;
  const char *name;
  size_t draws, usual, usual_charged, size, unused_size;
  bool is_allocation;
  Kept kept[MOST];
  size_t unused[MOST];
  char words[MOST][LETTERS];
};

static constexpr size_t ROOM = 1 << 12;
static Function functions[ROOM];
static char **wanted;
static FILE *notes;
static bool is_collecting, is_usual, keeps_each;
static char words[Function::LETTERS];
bool is_dumped, is_stepped;
volatile size_t steps;
size_t thinness = 1, met;

void argue(const char *format, ...) {
  va_list list;
  va_start(list, format), vsnprintf(words, sizeof words, format, list), va_end(list);
  for (char *one = words; *one; one++)
    if (*one == '\n') *one = ' ';
}

static bool is_allocator(const char *name) {
  for (const char *start : {"_Znw", "_Zna", "_Zdl", "_Zda"})
    if (strncmp(name, start, 4) == 0) return true;
  for (const char *known : {"malloc", "free", "calloc", "realloc", "reallocarray", "memalign", "aligned_alloc",
                            "posix_memalign", "atexit", "__cxa_atexit"})
    if (strcmp(name, known) == 0) return true;
  return false;
}

static bool is_wide(const char *name) {
  for (const char *const *one = wide_functions; *one; one++)
    if (strcmp(*one, name) == 0) return true;
  return false;
}

static bool is_named(const char *name) {
  if (is_stepped && !is_wide(name) && strcmp(name, "opc_nothing") != 0) return false;
  if (!*wanted || strcmp(name, "opc_nothing") == 0) return true;
  for (char **one = wanted; *one; one++)
    if (strcmp(*one, name) == 0) return true;
  return false;
}

bool is_wanted(const char *name) {
  if (!is_collecting || !is_named(name)) return false;
  met++;
  return true;
}

static Function &function(const char *name) {
  size_t at = (uintptr_t)name / 4 % ROOM;
  while (functions[at].name && functions[at].name != name) at = (at + 1) % ROOM;
  Function &found = functions[at];
  if (found.name) return found;
  found.name = name, found.is_allocation = is_allocator(name), found.unused_size = Function::MOST;
  for (size_t i = 0; i < Function::MOST; i++) found.unused[i] = i;
  return found;
}

static void drop(Function &all, size_t at) { all.unused[all.unused_size++] = all.kept[at].words; }

// Whatever the weight is, the worst is a corner of the upper hull.
static void keep_the_hull(Function &all) {
  size_t size = 0;
  auto rise = [&](const Kept &a, const Kept &b, const Kept &c) {
    return (double)(b.done - a.done) * (double)(c.charged - a.charged) <= (double)(c.done - a.done) * (double)(b.charged - a.charged);
  };
  for (size_t at = 0; at < all.size; at++) {
    while (size >= 2 && rise(all.kept[size - 2], all.kept[size - 1], all.kept[at])) drop(all, --size);
    all.kept[size++] = all.kept[at];
  }
  all.size = size;
}

static void insert(Function &all, size_t at) {
  if (all.size == Function::MOST) fprintf(stderr, "%s: too many calls are kept\n", all.name), abort();
  memmove(all.kept + at + 1, all.kept + at, (all.size++ - at) * sizeof(Kept));
  all.kept[at] = {0, 0, 0, all.unused[--all.unused_size]};
  strcpy(all.words[all.kept[at].words], words);
}

// Charged for more than a length that is copied in any other way than word by word.
static constexpr size_t LONG = 128;

// So many calls of an allocator have a mean.
static constexpr size_t ENOUGH = 50;

static size_t length_class(size_t units) { return units < LONG ? 0 : 64 - (size_t)__builtin_clzl(units); }

static void add_together(Function &all, size_t done) {
  size_t length = length_class(opc_units), at = all.size;
  auto is_other = [&](const Kept &one) { return length_class(one.charged / one.calls) != length || strcmp(all.words[one.words], words) != 0; };
  // What is drawn now was added last.
  while (at > 0 && is_other(all.kept[at - 1])) at--;
  if (at == 0) insert(all, at = all.size), at++;
  Kept &group = all.kept[at - 1];
  group.calls++, group.done += done, group.charged += opc_units;
}

static void add_alone(Function &all, size_t done) {
  if (all.size == Function::MANY_CORNERS) keep_the_hull(all);
  size_t low = 0, high = all.size;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (all.kept[middle].charged <= opc_units) low = middle + 1;
    else high = middle;
  }
  if (low > 0 && all.kept[low - 1].done >= done) return;
  size_t from = low, to = low;
  while (from > 0 && all.kept[from - 1].charged == opc_units) from--;
  while (to < all.size && all.kept[to].done <= done) to++;
  for (size_t at = from; at < to; at++) drop(all, at);
  memmove(all.kept + from, all.kept + to, (all.size - to) * sizeof(Kept));
  all.size -= to - from;
  insert(all, from);
  all.kept[from].done = done, all.kept[from].charged = opc_units, all.kept[from].calls = 1;
}

static void write(const char *name, const Kept &one, const char *words) {
  fprintf(notes, "%s %zu %zu %zu%s%s\n", name, one.done, one.charged, one.calls, *words ? " of " : "", words);
}

void keep(const char *name, size_t done) {
  Function &all = function(name);
  all.draws++;
  if (is_usual) all.usual++, all.usual_charged += opc_units;
  if (keeps_each) return write(name, {opc_units, done, 1, 0}, words);
  all.is_allocation ? add_together(all, done) : add_alone(all, done);
}

void keep_calls(const char *way, size_t every, char **names) {
  is_dumped = strcmp(way, "parts") == 0, is_stepped = strcmp(way, "steps") == 0;
  keeps_each = is_dumped || strcmp(way, "each") == 0;
  if (is_stepped) signal(SIGTRAP, [](int) { steps = steps + 1; });
  thinness = every, wanted = names;
  notes = fopen("notes.txt", "w");
  is_collecting = true;
}

void keep_usual_ones(bool are_usual) { *words = 0, is_usual = are_usual; }

void write_kept() {
  is_collecting = false;
  for (const Function &one : functions) {
    for (size_t at = 0; at < one.size; at++) {
      const char *given = one.words[one.kept[at].words];
      if (!one.is_allocation || !*given || one.kept[at].calls >= ENOUGH) write(one.name, one.kept[at], given);
    }
    if (one.name) fprintf(notes, "all %s %zu %zu %zu\n", one.name, one.draws, one.usual, one.usual_charged);
  }
  fclose(notes);
}
#endif
