// Does what is charged follow every field and flag of the arguments, and what the
// process has? Both are drawn, by a fixed seed: dates of any field, zones, formats
// with every flag and letter, the buffers of streams, the size of the environment.
#include "at.h"
#ifdef WORST
#include "draw.h"
#include <cstdarg>
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <unistd.h>

extern "C" {
tm *at_localtime(const time_t *);
tm *at_gmtime(const time_t *);
time_t at_mktime(tm *);
size_t at_strftime(char *, size_t, const char *, const tm *);
char *at_getenv(const char *);
char *at_strerror(int);
int at_vsprintf(char *, const char *, va_list);
int at_vsnprintf(char *, size_t, const char *, va_list);
int at_vsscanf(const char *, const char *, va_list);
int at_vfscanf(FILE *, const char *, va_list);
int at_vscanf(const char *, va_list);
int at_scanf(const char *, void *const *);
int at_fscanf(FILE *, const char *, void *const *);
int at_sscanf(const char *, const char *, void *const *);
int at_vprintf(const char *, va_list);
int at_vfprintf(FILE *, const char *, va_list);
int at_fputc(int, FILE *);
int at_putc(int, FILE *);
int at_fgetc(FILE *);
int at_getc(FILE *);
int at_ungetc(int, FILE *);
int at_fflush(FILE *);
int at_fputs(const char *, FILE *);
size_t at_fwrite(const void *, size_t, size_t, FILE *);
size_t at_fread(void *, size_t, size_t, FILE *);
char *at_fgets(char *, int, FILE *);
FILE *at_fopen(const char *, const char *);
int at_fclose(FILE *);
}

static tm date() {
  tm parts = {};
  bool is_usual = draw(2);
  int *fields[] = {&parts.tm_year, &parts.tm_mon, &parts.tm_mday, &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &parts.tm_wday, &parts.tm_yday};
  for (int *one : fields) *one = is_usual ? (int)draw(12) : any_int();
  // At the ends of all years a search takes long: a few draws do.
  if (is_usual || draw(40)) parts.tm_year = (int)draw(draw(2) ? 150 : 3000);
  parts.tm_isdst = draw(4) ? (int)draw(3) - 1 : any_int();
  parts.tm_zone = nullptr;
  return parts;
}

// Sometimes another zone: files with and without a rule, rules, names, and none.
static void change_zone() {
  if (draw(4)) return;
  static const std::string named = "<" + std::string(300, 'a') + ">5";
  const char *zone = one_of({"UTC", "Europe/Berlin", "Asia/Tokyo", "EST5EDT,M3.2.0,M11.1.0", "", ":/nowhere", "XXX-3YYY,J60,J300",
                             "America/Sao_Paulo", "Africa/Casablanca", "right/UTC", named.c_str(), nullptr});
  if (zone) setenv("TZ", zone, 1);
  else unsetenv("TZ");
}

static void dates() {
  std::string room(100'000, 0), name(10'000, 'z');
  for (Draws draws; draws.go_on();) {
    change_zone();
    time_t time = (time_t)draw(UINT64_MAX) >> draw(50);
    const char *zone = getenv("TZ") ? getenv("TZ") : "none";
    argue("%ld in %.20s", (long)time, zone);
    pointer = at_localtime(&time), pointer = at_gmtime(&time);
    tm parts = date();
    argue("%d/%d/%d %d:%d:%d isdst %d in %.20s", parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_hour, parts.tm_min,
          parts.tm_sec, parts.tm_isdst, zone);
    tm copy = parts;
    number = at_mktime(&copy);
    std::string format;
    for (size_t pieces = 1 + draw(5); pieces > 0; pieces--) {
      format += "%";
      for (size_t flags = draw(3); flags > 0; flags--) format += "_-0^#"[draw(5)];
      if (draw(3) == 0) format += std::to_string(draw(draw(2) ? 20 : 9000));
      if (draw(4) == 0) format += "EO"[draw(2)];
      format += "aAbBcCdDeFgGhHIjklmMnNpPrRsStTuUVwWxXyYzZ%+x"[draw(44)];
      if (draw(3) == 0) format += " of ";
    }
    if (draw(3) == 0) parts.tm_zone = name.c_str() + draw(name.size());
    argue("%s of %d/%d/%d isdst %d in %.20s", format.c_str(), parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_isdst, zone);
    at_strftime(&room[0], draw(4) ? room.size() : 10, format.c_str(), &parts);
  }
  unsetenv("TZ");
}

static void prints(const char *format, char *to, ...) {
  static FILE *out = fopen("/dev/null", "w");
  va_list list;
  va_start(list, to), at_vsprintf(to, format, list), va_end(list);
  va_start(list, to), at_vsnprintf(to, 20, format, list), va_end(list);
  va_start(list, to), at_vprintf(format, list), va_end(list);
  va_start(list, to), at_vfprintf(out, format, list), va_end(list);
}

static void with_list(void (*scan)(const char *, va_list), const char *format, ...) {
  va_list list;
  va_start(list, format), scan(format, list), va_end(list);
}

static void scans(const char *text, const char *format, void *const *to) {
  static const char *input;
  static FILE *file;
  input = text;
  auto from_text = [](const char *format, va_list list) { (void)at_vsscanf(input, format, list); };
  auto from_file = [](const char *format, va_list list) { (void)at_vfscanf(file, format, list); };
  auto from_input = [](const char *format, va_list list) { (void)at_vscanf(format, list); };
#define LISTED(scan) with_list(scan, format, to[0], to[1], to[2], to[3], to[4], to[5], to[6]);
  LISTED(from_text)
  at_sscanf(text, format, to);
  // Of the file as much as its buffer holds.
  if (strlen(text) > 4000) return;
  file = fopen("scan.txt", "w+");
  fputs("_", file), fputs(text, file);
#define FROM_ITS_START(file) rewind(file), fgetc(file)
  FROM_ITS_START(file);
  LISTED(from_file)
  FROM_ITS_START(file);
  at_fscanf(file, format, to);
  fclose(file);
  if (!freopen("scan.txt", "r", stdin)) abort();
  FROM_ITS_START(stdin);
  LISTED(from_input)
  FROM_ITS_START(stdin);
  at_scanf(format, to);
}

static void conversions() {
  std::string room(300'000, 0), text(20'000, 'b');
  std::wstring wide(20'000, L'w');
  static char got[7][40'000];
  void *places[7];
  for (int i = 0; i < 7; i++) places[i] = got[i];
  for (Draws draws(4); draws.go_on();) {
    change_rounding();
    if (one_in(500)) setlocale(LC_ALL, one_in(2) ? "C.UTF-8" : "C");
    std::string flags;
    for (size_t count = draw(4); count > 0; count--) flags += "-+ #0'I"[draw(7)];
    if (draw(3) == 0) flags += std::to_string(draw(draw(2) ? 30 : 20'000));
    if (draw(3) == 0) flags += "." + std::to_string(draw(draw(2) ? 30 : 20'000));
    std::string format = "%" + flags;
    size_t length = draw(draw(2) ? 30 : 20'000);
    argue("%s of a text of %zu", format.c_str(), length);
    switch (draw(4)) {
    case 0: {
      std::string wants = format + one_of({"d", "ld", "hhd", "zx", "jo", "tu", "Zd", "b", "lB", "c", "lc", "C", "m", "%", "p"});
      argue("%s", wants.c_str());
      prints((wants + "|").c_str(), &room[0], (long)draw(UINT64_MAX) & 127, 1L, 2L);
      break;
    }
    case 1: prints((format + one_of({"f", "e", "g", "a", "F", "E", "G", "A"})).c_str(), &room[0], any_double()); break;
    case 2: prints((format + "s").c_str(), &room[0], text.c_str() + text.size() - length); break;
    default: prints((format + one_of({"ls", "S"})).c_str(), &room[0], wide.c_str() + wide.size() - length); break;
    }
    std::string input, wants;
    for (size_t words = draw(6); words > 0; words--) {
      if (draw(2)) input += (one_in(3) ? any_number() : std::to_string(draw(UINT64_MAX) >> draw(60))) + " ";
      else input += std::string(draw(draw(2) ? 20 : 2000), " ab1."[draw(5)]);
    }
    for (size_t pieces = 1 + draw(7); pieces > 0; pieces--) {
      std::string width = draw(4) ? "" : std::to_string(1 + draw(500)), stays = draw(4) ? "" : "*";
      switch (draw(6)) {
      case 0: wants += std::string(draw(draw(2) ? 5 : 3000), " ab1"[draw(4)]); break;
      case 1: wants += "%" + stays + width + "[" + (draw(2) ? "^" : "") + std::string(1 + draw(draw(2) ? 5 : 2000), 'a') + "b-z0-9 ]"; break;
      default: wants += "%" + stays + width + one_of({"d", "i", "x", "lld", "f", "lf", "Lf", "s", "c", "n", "ls", "lc", "l[a-z]", "p", "%"});
      }
    }
    argue("%.60s from %zu: %.40s", wants.c_str(), input.size(), input.c_str());
    scans(input.c_str(), wants.c_str(), places);
  }
  setlocale(LC_ALL, "C");
}

static void buffers() {
  static char room[4096], text[4096];
  memset(text, 'l', sizeof text - 1);
  for (Draws draws; draws.go_on();) {
    bool writes = draw(2);
    FILE *file = writes ? fopen("/dev/null", "w") : fopen("input.txt", "r");
    size_t size = 1024 + draw(3072);
    setvbuf(file, room, _IOFBF, size);
    for (int call = 0; call < 6; call++) {
      size_t length = draw(draw(2) ? 8 : 900);
      argue("a buffer of %zu, %zu letters", size, length);
      const char *letters = text + sizeof text - 1 - length;
      // Fills and empties what the first call would.
      if (writes) {
        if (fputc('a', file), file->_IO_write_end - file->_IO_write_ptr < 8) fflush(file), fputc('a', file);
        number = draw(2) ? at_fputc('a' - (draw(4) ? 0 : 'a' - '\n'), file) : at_putc('b', file);
        at_fputs(letters, file), at_fwrite(letters, 1, length, file), at_fflush(file);
      } else {
        static char got[4096];
        while (file->_IO_read_end - file->_IO_read_ptr < 8 && fgetc(file) != EOF) {}
        number = at_fgetc(file), number = at_getc(file), at_ungetc('c', file), at_fread(got, 1, length, file);
        at_fgets(got, 1 + (int)length, file);
      }
    }
    fclose(file);
  }
  std::string long_mode = "r" + std::string(5000, 'x');
  argue("a mode of 5,000 letters");
  if (FILE *file = at_fopen("/dev/null", long_mode.c_str())) at_fclose(file);
}

// A program may put its own environment in place of the one that it was given.
static void environments() {
  char **before = environ;
  static char variable[] = "NAME=value", *many[20'001];
  for (Draws draws; draws.go_on();) {
    size_t count = draw(draw(2) ? 60 : 20'000);
    for (size_t at = 0; at < 20'001; at++) many[at] = at < count ? variable : nullptr;
    environ = many;
    argue("%zu variables", count);
    pointer = at_getenv("HOME"), pointer = at_getenv("N"), pointer = at_getenv("");
    time_t time = 1'000'000'000;
    pointer = at_localtime(&time);
    environ = before;
    int error = any_int();
    argue("error %d", error);
    pointer = at_strerror(error);
  }
}

void worst_fields() {
  dates(), conversions(), buffers(), environments();
}
#endif
