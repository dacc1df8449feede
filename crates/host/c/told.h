/* What was left where the program was ended?
 *
 * While metered code computes, what is left stands in a register or on the
 * stack, and the cell is behind. Code generation wrote a table of where it is
 * at each instruction (`opc_told`); this finds the row of an interrupted one,
 * and reads the word from the registers that the signal's handler was given.
 * In a library's function that may have made a frame, and have put something else
 * into the registers, nothing is known. Of one that faults on x86-64 the caller's row
 * is asked where the word on top of the stack leads behind a call: so it is of
 * functions without a frame (`memcpy`, `strlen`).
 *
 * The number is what was left behind the instruction that the program was at, as
 * the program's own order has it, and a row says whether it is that. Otherwise it
 * is what was left before the straight code around, so never less than the truth;
 * and no more than one allowance of checks from it. It is read where the row says, if that lies on the stack. Cost: one pass
 * through the table. It calls nothing and takes no lock.
 */
#ifndef OPCOST_TOLD
#define OPCOST_TOLD
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

/* A row of the table; the compiler writes these. */
struct opcost__row {
  int32_t from; /* from the row itself */
  uint8_t kind, number;
  uint8_t known; /* and 4: the call that stands here does not keep the register */
  uint8_t more;  /* what is done more if it is a division that ends the program */
  int32_t offset, addend;
};
enum { OPCOST__NOTHING, OPCOST__REGISTER, OPCOST__WORD, OPCOST__OUTSIDE };
/* What is known of what was done: at least so much, this, or that this much was
 * charged, for the loop around is paid for before it begins. */
enum { OPCOST__AT_LEAST, OPCOST__EXACT, OPCOST__AHEAD };

/* What was left, and how that is known. */
struct opcost__answer {
  int64_t left;
  int known;
};

/* Registers by DWARF's numbers, and where it was. */
struct opcost__machine {
  uint64_t registers[32];
  uint64_t code, stack;
};

#if defined(__x86_64__) || defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)
#define OPCOST_TELLS
static void opcost__read_machine(const ucontext_t *there, struct opcost__machine *machine) {
#if defined(__x86_64__)
  static const uint8_t order[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (int i = 0; i < 16; i++) machine->registers[i] = (uint64_t)there->uc_mcontext.gregs[order[i]];
  machine->code = (uint64_t)there->uc_mcontext.gregs[REG_RIP];
  machine->stack = machine->registers[7];
#elif defined(__aarch64__)
  for (int i = 0; i < 31; i++) machine->registers[i] = there->uc_mcontext.regs[i];
  machine->registers[31] = machine->stack = there->uc_mcontext.sp;
  machine->code = there->uc_mcontext.pc;
#else
  for (int i = 1; i < 32; i++) machine->registers[i] = there->uc_mcontext.__gregs[i];
  machine->registers[0] = 0;
  machine->stack = machine->registers[2];
  machine->code = there->uc_mcontext.__gregs[0];
#endif
}

/* The row that holds at an address, or null. */
static const struct opcost__row *opcost__row_at(const struct opcost__row *row, const struct opcost__row *end,
                                                uint64_t code) {
  const struct opcost__row *found = 0;
  uint64_t best = UINT64_MAX;
  for (; row < end; row++) {
    uint64_t behind = code - ((uint64_t)(uintptr_t)row + (uint64_t)(int64_t)row->from);
    /* Of several at one address the last one holds. */
    if (behind <= best && behind < (uint64_t)1 << 31) {
      best = behind;
      found = row;
    }
  }
  return found && found->kind != OPCOST__OUTSIDE ? found : 0;
}

static int opcost__row_says(const struct opcost__row *row, const struct opcost__machine *machine, uint64_t low,
                            uint64_t high, struct opcost__answer *answer) {
  if (row->kind != OPCOST__REGISTER && row->kind != OPCOST__WORD) return 0;
  uint64_t value = machine->registers[row->number & 31];
  if (row->kind == OPCOST__WORD) {
    uint64_t at = value + (uint64_t)(int64_t)row->offset;
    if (at < low || at > high - 8 || at % 8 != 0) return 0;
    value = *(const uint64_t *)(uintptr_t)at;
  }
  answer->left = (int64_t)(value + (uint64_t)(int64_t)row->addend);
  answer->known = row->known & 3;
  return 1;
}

/* What was left when the signal of this number came, if it is known; the stack lies
 * from `low` to `high`. */
static int opcost__told(const void *table, const void *table_end, int number, const ucontext_t *there, uint64_t low,
                        uint64_t high, struct opcost__answer *answer) {
  const struct opcost__row *rows = (const struct opcost__row *)table, *end = (const struct opcost__row *)table_end;
  struct opcost__machine machine;
  const struct opcost__row *row;
  opcost__read_machine(there, &machine);
  row = opcost__row_at(rows, end, machine.code);
  if (row) {
    if (!opcost__row_says(row, &machine, low, high, answer)) return 0;
    if (number == SIGFPE) answer->left -= row->more;
    return 1;
  }
#if defined(__x86_64__)
  int is_fault = number == SIGSEGV || number == SIGBUS || number == SIGFPE;
  if (!is_fault || machine.stack < low || machine.stack > high - 8 || machine.stack % 8 != 0) return 0;
  uint64_t caller = *(const uint64_t *)(uintptr_t)machine.stack;
  machine.registers[7] += 8;
  row = opcost__row_at(rows, end, caller - 1);
  return row && !(row->known & 4) && opcost__row_says(row, &machine, low, high, answer);
#else
  return 0;
#endif
}
#endif
#endif
