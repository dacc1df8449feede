/* What may change without being written here: volatile objects, variables that a
   signal's handler or a longjmp meets, results of calls through pointers, numbers
   that are addresses. Their widths are those of their types. */
#include "../bits.h"
#include <setjmp.h>
#include <signal.h>

static volatile unsigned port = 5;
static volatile sig_atomic_t signals;
static jmp_buf way_back;
static int attempts;

/* Only 5 is ever put in, in this file; still it is anything, until it is masked. */
unsigned twice_from_port(void) {
  unsigned first = port, second = port; /* bits: first 32 shown 10 */
  unsigned masked = second & 7; /* bits: masked 3 */
  return first * 8 + masked;
}

static void on_signal(int number) {
  (void)number;
  signals += 1000;
}

int signals_seen(void) {
  raise(SIGUSR1);
  int seen = signals; /* bits: seen 32 shown 13 */
  if (seen > 6000) signals = 0;
  return seen;
}

static void give_up(int how) {
  attempts++;
  if (attempts % 4 != 0) longjmp(way_back, how);
}

/* 0 the first time, then what longjmp was given. */
int tries(void) {
  volatile int rounds = 0;
  int how = setjmp(way_back); /* bits: how 32 shown 4 */
  rounds = rounds + 1;
  give_up(9);
  int all = rounds; /* bits: all 32 shown 3 */
  return all * 16 + how;
}

/* Who is called is not known; only a byte of what it gives is kept. */
int through_pointer(int (*function)(int), int value) {
  int result = function(value); /* bits: result 32 */
  int byte = result & 255; /* bits: byte 8 */
  return byte;
}

/* Addresses of words end in two zeros, and nothing else is known of them. */
unsigned low_bits(const unsigned *where) {
  uintptr_t address = (uintptr_t)where;
  unsigned low = (unsigned)(address & 15); /* bits: low 4 */
  return low;
}

static int drive_minus(int value) { return -value; }
static int drive_same(int value) { return value; }

int main(int count, char **words) {
  int is_right = 1, sent = 0;
  static unsigned table[8];
  bits_begin(count, words, 108);
  signal(SIGUSR1, on_signal);
  for (int round = 0; round < 40; round++) {
    port = (unsigned)round * 20 + 5;
    is_right &= twice_from_port() == ((unsigned)round * 20 + 5) * 8 + (((unsigned)round * 20 + 5) & 7);
    sent = sent > 6000 ? 1000 : sent + 1000;
    is_right &= signals_seen() == sent;
    is_right &= tries() == 4 * 16 + 9;
    int value = bits_between(-INT32_MAX, INT32_MAX);
    is_right &= through_pointer(round % 2 ? drive_minus : drive_same, value) == ((round % 2 ? -value : value) & 255);
    is_right &= ((low_bits(table + round % 8) ^ low_bits(table)) & 3) == 0 && low_bits(table + 4) == low_bits(table);
    bits_note((uint32_t)value + low_bits(table + round % 8) - low_bits(table));
  }
  return bits_finish("outside", is_right);
}
