/* A processor that runs a program of its own: 32 registers, a memory of words,
   some thirty instructions in the manner of MIPS.

   Fields of an instruction have 5, 6, 16 and 26 bits, places in the memories what
   their sizes give; registers hold anything, and nobody may say otherwise. */
#include "bits.h"

enum { PROGRAM = 64, MEMORY = 64, DATA = 0x1000, STEPS = 20000 };

static int32_t registers[32];
static int32_t memory[MEMORY];
static uint32_t product_high, product_low;

static int32_t signed_word(uint32_t word) { return (int32_t)word; }

/* What an instruction of the first kind makes of two registers. */
static int32_t combine(unsigned function, int32_t a, int32_t b, unsigned amount) {
  uint32_t left = (uint32_t)a, right = (uint32_t)b; /* bits: left 32 */
  switch (function) {
    case 0: return signed_word(right << amount);
    case 2: return signed_word(right >> amount);
    case 3: return b >> amount;
    case 4: return signed_word(right << (left & 31));
    case 6: return signed_word(right >> (left & 31));
    case 7: return b >> (left & 31);
    case 16: return signed_word(product_high);
    case 18: return signed_word(product_low);
    case 33: return signed_word(left + right);
    case 35: return signed_word(left - right);
    case 36: return signed_word(left & right);
    case 37: return signed_word(left | right);
    case 38: return signed_word(left ^ right);
    case 39: return signed_word(~(left | right));
    case 42: return a < b;
    case 43: return left < right;
    default: return 0;
  }
}

static void multiply(int32_t a, int32_t b, int is_signed) {
  uint64_t product = is_signed ? (uint64_t)((int64_t)a * b) : (uint64_t)(uint32_t)a * (uint32_t)b;
  product_high = (uint32_t)(product >> 32);
  product_low = (uint32_t)product; /* bits: product 64 shown 63 */
}

static int32_t combine_immediate(unsigned operation, int32_t a, unsigned immediate) {
  int32_t extended = (int32_t)(immediate ^ 0x8000) - 0x8000; /* bits: extended 16 */
  switch (operation) {
    case 8:
    case 9: return signed_word((uint32_t)a + (uint32_t)extended);
    case 10: return a < extended;
    case 11: return (uint32_t)a < (uint32_t)extended;
    case 12: return signed_word((uint32_t)a & immediate);
    case 13: return signed_word((uint32_t)a | immediate);
    case 14: return signed_word((uint32_t)a ^ immediate);
    case 15: return signed_word(immediate << 16);
    default: return 0;
  }
}

/* The place of an address in the memory; what lies outside comes round. */
static unsigned place_of(int32_t base, unsigned immediate) {
  uint32_t address = (uint32_t)base + ((immediate ^ 0x8000) - 0x8000) - DATA; /* bits: address 32 shown 31 */
  unsigned place = address >> 2 & (MEMORY - 1); /* bits: place 6 */
  return place;
}

static int is_taken(unsigned operation, int32_t a, int32_t b) {
  int answer = operation == 4 ? a == b : operation == 5 ? a != b : operation == 6 ? a <= 0 : a > 0;
  return answer; /* bits: answer 1 */
}

/* Ports: a program, words for the memory and what it becomes; the most steps. How
   many were made: a program ends by a jump to 0 or behind its end. */
int mips_run(const uint32_t program[PROGRAM], int32_t data[MEMORY], int most) {
  unsigned counter = 1;
  int steps = 0;
  for (int i = 0; i < 32; i++) registers[i] = 0;
  for (int i = 0; i < MEMORY; i++) memory[i] = data[i];
  registers[29] = DATA + 4 * MEMORY;
  while (counter > 0 && counter < PROGRAM && steps < most) {
    uint32_t word = program[counter]; /* bits: counter 6; word 32 */
    unsigned operation = word >> 26; /* bits: operation 6 */
    unsigned source = word >> 21 & 31, target = word >> 16 & 31; /* bits: source 5; target 5 */
    unsigned result = word >> 11 & 31, amount = word >> 6 & 31; /* bits: result 5; amount 5 */
    unsigned immediate = word & 0xffff, function = word & 63; /* bits: immediate 16; function 6 */
    int32_t a = registers[source], b = registers[target]; /* bits: a 32 */
    steps++;
    counter++; /* bits: counter 7 */
    if (operation == 0) {
      if (function == 8) counter = (uint32_t)a >> 2;
      if (function == 24 || function == 25) multiply(a, b, function == 24);
      if (function != 8 && function != 24 && function != 25) registers[result] = combine(function, a, b, amount);
    } else if (operation == 2 || operation == 3) {
      int32_t link = (int32_t)(counter << 2); /* bits: link 9 */
      if (operation == 3) registers[31] = link;
      counter = word & 0x3ffffff; /* bits: counter 26 */
    } else if (operation >= 4 && operation < 8) {
      if (is_taken(operation, a, b)) counter += (immediate ^ 0x8000) - 0x8000;
    } else if (operation < 16) {
      registers[target] = combine_immediate(operation, a, immediate);
    } else if (operation == 35) {
      registers[target] = memory[place_of(a, immediate)];
    } else if (operation == 43) {
      memory[place_of(a, immediate)] = b;
    }
    registers[0] = 0;
  }
  for (int i = 0; i < MEMORY; i++) data[i] = memory[i];
  return steps;
}

#define R(function, result, source, target) ((source) << 21 | (target) << 16 | (result) << 11 | (function))
#define S(function, result, target, amount) ((target) << 16 | (result) << 11 | (amount) << 6 | (function))
#define I(operation, target, source, immediate) \
  ((uint32_t)(operation) << 26 | (source) << 21 | (target) << 16 | ((immediate) & 0xffff))
#define J(operation, place) ((uint32_t)(operation) << 26 | (place))

/* Sorts the words 0 to 31, then leaves sums, products and shifts behind them. */
static const uint32_t sorting[PROGRAM] = {
    0,
    I(9, 4, 0, DATA),      /* 1: r4 = first word */
    I(9, 5, 4, 31 * 4),    /* r5 = last word */
    R(37, 6, 5, 0),        /* 3: r6 = end of this pass */
    R(37, 7, 4, 0),        /* r7 = here */
    I(9, 8, 0, 0),         /* r8 = swaps */
    R(43, 9, 7, 6),        /* 6: here below the end? */
    I(4, 0, 9, 9),         /*    no: to 17 */
    I(35, 10, 7, 0),       /* r10 = this word */
    I(35, 11, 7, 4),       /* r11 = the next */
    R(42, 9, 11, 10),      /* out of order? */
    I(4, 0, 9, 3),         /*    no: to 15 */
    I(43, 11, 7, 0),       /* swap */
    I(43, 10, 7, 4),       /* 13 */
    I(9, 8, 8, 1),         /* 14 */
    I(9, 7, 7, 4),         /* 15: on */
    J(2, 6),               /* 16 */
    I(9, 6, 6, -4),        /* 17: the pass is over */
    I(5, 0, 8, -15),       /* 18: swaps: to 4 */
    I(9, 7, 4, 0),         /* 19: r7 = first word again */
    I(9, 2, 0, 0),         /* r2 = sum */
    I(9, 3, 0, 1),         /* r3 = product */
    I(35, 10, 7, 0),       /* 22 */
    R(33, 2, 2, 10),       /* sum */
    I(13, 11, 10, 1),      /* made odd */
    R(24, 0, 3, 11),       /* product */
    R(18, 3, 0, 0),        /* 26: its low word */
    R(16, 12, 0, 0),       /* its high word */
    R(38, 2, 2, 12),       /* mixed in */
    S(3, 13, 10, 7),       /* shifts: arithmetic */
    S(2, 14, 10, 9),       /* 30: logical */
    S(0, 15, 10, 3),       /* left */
    R(35, 13, 13, 14),     /* 32 */
    R(39, 13, 13, 15),     /* 33 */
    R(33, 2, 2, 13),       /* 34 */
    I(9, 7, 7, 4),         /* 35 */
    R(43, 9, 5, 7),        /* 36: behind the last? */
    I(4, 0, 9, -16),       /* 37: no: to 22 */
    I(43, 2, 5, 4),        /* 38: word 32 = sum */
    I(43, 3, 5, 8),        /* word 33 = product */
    J(3, 43),              /* 40: call */
    I(43, 2, 5, 12),       /* word 34 = what it gave */
    J(2, 0),               /* 42: the end */
    I(15, 2, 0, 0x1234),   /* 43: the function */
    I(13, 2, 2, 0x8765),   /* 44 */
    I(14, 2, 2, 0xffff),   /* 45 */
    I(11, 9, 2, -1),       /* 46 */
    R(7, 2, 9, 2),         /* 47: r2 >> r9 */
    R(8, 0, 31, 0),        /* 48: back */
};

static int plain_compare(const void *a, const void *b) {
  int32_t first = *(const int32_t *)a, second = *(const int32_t *)b;
  return (first > second) - (first < second);
}

/* What the program is to leave, without the processor. */
static void plain_run(int32_t *data) {
  uint32_t sum = 0, product = 1;
  qsort(data, 32, sizeof *data, plain_compare);
  for (int i = 0; i < 32; i++) {
    int64_t exact = (int64_t)signed_word(product) * (data[i] | 1);
    uint32_t word = (uint32_t)data[i], shifted = (uint32_t)(data[i] >> 7) - (word >> 9);
    sum += word;
    product = (uint32_t)exact;
    sum = (sum ^ (uint32_t)(exact >> 32)) + ~(shifted | word << 3);
  }
  data[32] = signed_word(sum);
  data[33] = signed_word(product);
  data[34] = (0x12348765 ^ 0xffff) >> 1;
}

int main(int count, char **words) {
  int is_right = 1;
  bits_begin(count, words, 14);
  for (int round = 0; round < 12; round++) {
    int32_t data[MEMORY], wanted[MEMORY];
    for (int i = 0; i < MEMORY; i++) data[i] = wanted[i] = bits_between(INT32_MIN, INT32_MAX);
    mips_run(sorting, data, STEPS);
    plain_run(wanted);
    is_right &= memcmp(data, wanted, sizeof data) == 0;
    for (int i = 0; i < MEMORY; i++) bits_note((uint32_t)data[i]);
  }
  /* Any words are a program; it ends when its steps are used up. */
  for (int round = 0; round < 40; round++) {
    uint32_t program[PROGRAM];
    int32_t data[MEMORY] = {0};
    for (int i = 0; i < PROGRAM; i++) program[i] = bits_draw() >> (bits_draw() % 2 ? 26 : 0);
    for (int i = 0; i < PROGRAM; i++) program[i] |= bits_draw() % 4 == 0 ? bits_draw() % 48 << 26 : 0;
    int steps = mips_run(program, data, 500);
    is_right &= steps > 0 && steps <= 500;
    bits_note((uint32_t)steps);
  }
  return bits_finish("mips", is_right);
}
