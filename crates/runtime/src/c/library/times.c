// What do functions cost that turn times into dates and back?
//
// The C library does the work; what decides over it is charged before. It compares TZ
// each time, and reads the zone anew when that changed. `mktime` is told by `tm_isdst`
// which of two clocks is meant. Where the other one is in use it tries times a week apart,
// for eight years in both directions, until the clocks agree. That search is done here
// first, step by step, and each step pays for its own and for that of the library. Fields
// that together are no year lead to another search, which is charged whole.
//
// Limits: a zone file of the program's own may be longer than those of the system. What is
// charged for a step is a mean of zones: those whose rule is read for each time take three
// times of it.
#include "library.h"

#include <time.h>

#ifdef __GLIBC__
enum { ZONE_IS_READ = 12000, EACH_ZONE_LETTER = 12, EACH_ZONE = 60 };
enum { SEARCH_STEP = 1300, FAR_SEARCH_STEP = 5000, FAR = 9000, UNPLAIN = 180000, FAR_UNPLAIN = 60000 };
enum { NO_YEAR = 2000000, NO_YEAR_SEARCHED = 33000000 };
// As mktime.c of the library has them, in seconds.
enum { STRIDE = 601200, SEARCHED = 536454000 / 2 + STRIDE };

// Names of zones are kept for ever in a list that each new one is compared with.
static void opc_charge_zone(void) {
  static char known[128];
  static size_t zones;
  const char *zone = LIBRARY(getenv)("TZ");
  if (!zone) zone = "";
  size_t length = LIBRARY(strlen)(zone);
  opc_charge_units(length * EACH_ZONE_LETTER + zones * EACH_ZONE);
  if (length < sizeof known && LIBRARY(strcmp)(zone, known) == 0) return;
  zones++;
  opc_charge_units(ZONE_IS_READ);
  if (length < sizeof known) memcpy(known, zone, length + 1);
}

static int opc_is_far(time_t time) { return time != (int32_t)time; }

// Whether the fields together are no year that has a date, or nearly so.
static int opc_is_no_year(const struct tm *date) {
  long year = (long)date->tm_year + date->tm_mon / 12 + date->tm_mday / 365 + date->tm_hour / 8760 +
              date->tm_min / 525600 + date->tm_sec / 31536000;
  return year > INT32_MAX - 1000L || year < INT32_MIN + 1000L;
}

// Whether all fields but the year are as a date has them, or nearly so.
static int opc_is_plain(const struct tm *date) {
  return date->tm_mon >= 0 && date->tm_mon < 12 && date->tm_mday >= 0 && date->tm_mday < 99 && date->tm_hour >= 0 &&
         date->tm_hour < 99 && date->tm_min >= 0 && date->tm_min < 99 && date->tm_sec >= 0 && date->tm_sec < 99;
}

// Whether it is then surely in the years that a number of 32 bits counts.
static int opc_is_near(const struct tm *date) {
  return date->tm_year > 3 && date->tm_year < 135 && opc_is_plain(date);
}

// What `mktime` does for this date beyond a conversion or two.
static void opc_charge_date(const struct tm *date) {
  if (opc_is_no_year(date)) {
    opc_charge_units(date->tm_isdst < 0 ? NO_YEAR : NO_YEAR_SEARCHED);
    return;
  }
  if (date->tm_isdst < 0 && opc_is_near(date)) return;
  struct tm parts = *date;
  parts.tm_isdst = -1;
  time_t time = mktime(&parts);
  if (opc_is_far(time)) opc_charge_units(opc_is_plain(date) ? FAR : FAR_UNPLAIN);
  if (date->tm_isdst < 0 || parts.tm_isdst < 0 || !date->tm_isdst == !parts.tm_isdst) return;
  if (!opc_is_plain(date)) opc_charge_units(UNPLAIN);
  for (long distance = STRIDE; distance < SEARCHED; distance += STRIDE) {
    for (int direction = -1; direction <= 1; direction += 2) {
      time_t tried = time + direction * distance;
      opc_charge_units(opc_is_far(tried) ? FAR_SEARCH_STEP : SEARCH_STEP);
      if (!localtime_r(&tried, &parts) || !parts.tm_isdst == !date->tm_isdst) return;
    }
  }
}

time_t LIBRARY(mktime)(struct tm *date) {
  opc_charge_zone();
  opc_charge_date(date);
  return mktime(date);
}

struct tm *LIBRARY(localtime)(const time_t *time) {
  opc_charge_zone();
  return localtime(time);
}
#else
static void opc_charge_zone(void) {}
static void opc_charge_date(const struct tm *date) { (void)date; }
time_t LIBRARY(mktime)(struct tm *date) { return mktime(date); }
struct tm *LIBRARY(localtime)(const time_t *time) { return localtime(time); }
#endif

enum { EACH_LETTER = 12, EACH_CONVERSION = 1500, EACH_NAME_LETTER = 12 };

// A conversion writes some words. `%s` is `mktime`, and `%Z` a name of any length.
size_t LIBRARY(strftime)(char *to, size_t size, const char *format, const struct tm *date) {
  opc_charge_zone();
  size_t units = 0;
  for (const char *at = format; *at; at++) {
    units += EACH_LETTER;
    if (*at != '%') continue;
    units += EACH_CONVERSION;
    for (at++; *at == '_' || *at == '-' || *at == '0' || *at == '^' || *at == '#' || *at == '+'; at++)
      units += EACH_LETTER;
    for (; *at >= '0' && *at <= '9'; at++) units += EACH_LETTER;
    if (*at == 'E' || *at == 'O') at++;
    if (!*at) break;
    if (*at == 's') opc_charge_date(date);
#ifdef __GLIBC__
    if (*at == 'Z' && date->tm_zone) units += LIBRARY(strlen)(date->tm_zone) * EACH_NAME_LETTER;
#endif
  }
  opc_charge_units(units);
  size_t written = strftime(to, size, format, date);
  opc_charge_copy(written);
  return written;
}
