/* What objects hold: fields of one structure with other ranges, every other place
   of an array, words that are written byte by byte, a field whose address goes to
   somebody who writes there, and a table that is read over a part only. */
#include "../bits.h"

struct entry {
  int kind;
  int weight;
  unsigned flags;
};

static struct entry entries[16];
static int interleaved[32];
static const short samples[12] = {3, 1, 4, 1, 5, 9, 300, -300, 2, 6, 500, -500};
static unsigned shared_word;
static int bumped = 1;

void put_entry(unsigned place, int weight) {
  struct entry *entry = entries + (place & 15);
  entry->kind = (int)(place & 3);
  entry->weight = weight < -1000 ? -1000 : weight > 1000 ? 1000 : weight;
  entry->flags = 1u << (place % 5);
}

int use_entry(unsigned place) {
  const struct entry *entry = entries + (place & 15);
  int kind = entry->kind, weight = entry->weight; /* bits: kind 2; weight 11 */
  unsigned flags = entry->flags; /* bits: flags 5 */
  return kind * 10000 + weight + (int)flags;
}

/* Even places hold bytes, odd ones what is left over by 1000. */
void put_pair(unsigned place, unsigned value) {
  interleaved[2 * (place & 15)] = (int)(value & 255);
  interleaved[2 * (place & 15) + 1] = (int)(value % 1000);
}

int use_pair(unsigned place) {
  int even = interleaved[2 * (place & 15)], odd = interleaved[2 * (place & 15) + 1]; /* bits: even 8; odd 10 */
  return even - odd;
}

/* The first six of the table are small. */
int small_sample(unsigned place) {
  int sample = samples[place % 6]; /* bits: sample 4 */
  return sample;
}

/* Those at even places from 6 on are positive. */
int even_sample(unsigned place) {
  int sample = samples[6 + 2 * (place % 3)]; /* bits: sample 9 */
  return sample;
}

/* Four bytes make a word: what each held says nothing of the word but this. */
unsigned from_bytes(unsigned value) {
  unsigned char bytes[4];
  for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(value >> (8 * i) & 15);
  memcpy(&shared_word, bytes, 4);
  unsigned word = shared_word; /* bits: word 28 */
  return word;
}

static void bump(int *where) {
  if (*where < 100000) *where *= 10;
}

/* Its address goes to a function that is known: it holds powers of ten. */
int bumped_value(void) {
  bump(&bumped);
  int value = bumped; /* bits: value 17 */
  if (value >= 100000) bumped = 1;
  return value;
}

int main(int count, char **words) {
  int is_right = 1, power = 1;
  bits_begin(count, words, 105);
  for (int round = 0; round < 400; round++) {
    unsigned place = bits_draw(), value = bits_draw();
    int weight = bits_between(-5000, 5000), held = weight > 1000 ? 1000 : weight < -1000 ? -1000 : weight;
    put_entry(place, weight);
    is_right &= use_entry(place) == (int)(place % 4) * 10000 + held + (1 << place % 5);
    put_pair(place, value);
    is_right &= use_pair(place) == (int)(value % 256) - (int)(value % 1000);
    is_right &= small_sample(place) == "\3\1\4\1\5\11"[place % 6];
    is_right &= even_sample(place) == (place % 3 == 0 ? 300 : place % 3 == 1 ? 2 : 500);
    unsigned word = from_bytes(value);
    for (int i = 0; i < 4; i++) is_right &= (word >> (24 - 8 * (3 - i)) & 255) == (value >> (8 * i)) % 16;
    power = power == 100000 ? 10 : power * 10;
    is_right &= bumped_value() == power;
    bits_note(word + (uint32_t)held);
  }
  return bits_finish("memory", is_right);
}
