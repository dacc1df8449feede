/* Writes down each call of a function in a run, for the testbench of its circuit.
 *
 * The program is compiled so that its functions begin with 16 bytes of nothing. Before main, a jump is written
 * there in the function that is of interest. So every call is seen: from its own file, from others, and by
 * pointers. The call's return address is replaced, so its end is seen, too. The tables above this text say
 * which parameters and memories there are.
 *
 * How many elements a pointer leads to is what AddressSanitizer knows to be readable. Two pointers into one
 * array share it: where either is written, each keeps only what comes before the other. The testbench notices
 * when a circuit uses more. A call that breaks a contract, or does something undefined, is counted and not
 * written down. If the circuit has state, no later call is.
 *
 * Limits: x86-64, parameters that are integers and pointers, calls of one process. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* What opcost reads afterwards; it is in a file, so that a crash loses nothing. */
struct replay_summary {
  uint64_t calls, written, broken, overlapping, elsewhere;
  char reason[216];
};

static struct replay_summary *replay_summary;
static uint64_t replay_most;
static int replay_file = -1;
static pid_t replay_owner;
static pthread_mutex_t replay_lock = PTHREAD_MUTEX_INITIALIZER;
static char *replay_text;
static size_t replay_length, replay_room;
static volatile int replay_is_undefined;
/* Of the call that is under way. */
static uint64_t replay_return;
static int replay_is_written;
static const unsigned char *replay_at[REPLAY_MEMORIES + 1];
static uint64_t replay_count[REPLAY_MEMORIES + 1];

void *__asan_region_is_poisoned(void *begin, size_t size);
void replay_leave(void);
uint64_t replay_real;

/* The sanitizer of undefined behaviour calls this when it has something to say. */
void __ubsan_on_report(void) { replay_is_undefined = 1; }

static void replay_fail(const char *words) {
  fprintf(stderr, "opcost replay: %s\n", words);
  _exit(125);
}

static void replay_put(const char *words, size_t length) {
  if (replay_length + length > replay_room) {
    replay_room = 2 * (replay_length + length);
    replay_text = realloc(replay_text, replay_room);
    if (!replay_text) replay_fail("no memory is left");
  }
  memcpy(replay_text + replay_length, words, length);
  replay_length += length;
}

static void replay_number(uint64_t number) {
  char words[24];
  replay_put(words, (size_t)snprintf(words, sizeof words, "%llx\n", (unsigned long long)number));
}

static void replay_elements(int memory) {
  static const char digits[] = "0123456789abcdef";
  uint64_t size = replay_memories[memory].size;
  for (uint64_t i = 0; i < replay_count[memory]; i++) {
    char words[20];
    size_t length = 0;
    for (uint64_t byte = size; byte-- > 0;) {
      unsigned char value = replay_at[memory][i * size + byte];
      words[length++] = digits[value >> 4];
      words[length++] = digits[value & 15];
    }
    words[length++] = '\n';
    replay_put(words, length);
  }
}

/* Bytes from an address on that can be read, at most so many. */
static uint64_t replay_readable(const unsigned char *at, uint64_t most) {
  static unsigned char page[4096];
  if (!at || most == 0) return 0;
  unsigned char *bad = __asan_region_is_poisoned((void *)at, most);
  if (bad) most = (uint64_t)(bad - at);
  /* What is not of this program's own may not be there at all. */
  for (uint64_t done = 0; done < most;) {
    uint64_t part = 4096 - (uint64_t)(at + done) % 4096;
    if (part > most - done) part = most - done;
    struct iovec to = {page, part}, from = {(void *)(at + done), part};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)part) return done;
    done += part;
  }
  return most;
}

static uint64_t replay_argument(const uint64_t *frame, int parameter) {
  return parameter < 6 ? frame[6 - parameter] : frame[8 + parameter - 6];
}

static uint64_t replay_low(uint64_t value, int bits) { return bits == 64 ? value : value & ((1ull << bits) - 1); }

static uint64_t replay_signed(uint64_t value, int bits) { return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits)); }

/* Why a call is none that the circuit takes; it is counted. */
static void replay_break(const char *name, uint64_t value, const char *words) {
  if (replay_summary->broken++ == 0)
    snprintf(replay_summary->reason, sizeof replay_summary->reason, "call %llu: %s is %lld, %s",
             (unsigned long long)replay_summary->calls, name, (long long)value, words);
}

/* Whether the circuit takes these numbers. */
static int replay_is_allowed(const uint64_t *frame) {
  for (int i = 0; i < REPLAY_SCALARS; i++) {
    const struct replay_scalar *scalar = &replay_scalars[i];
    uint64_t value = replay_low(replay_argument(frame, scalar->parameter), scalar->declared);
    uint64_t with_sign = replay_signed(value, scalar->declared);
    int is_in = scalar->pieces == 0;
    for (int j = 0; j < scalar->pieces; j++) {
      const struct replay_piece *piece = &replay_pieces[scalar->first + j];
      is_in |= piece->is_signed ? (int64_t)with_sign >= (int64_t)piece->low && (int64_t)with_sign <= (int64_t)piece->high
                                : value >= piece->low && value <= piece->high;
    }
    if (!is_in) {
      replay_break(scalar->name, with_sign, "which its contract does not allow");
      return 0;
    }
    uint64_t own = replay_low(value, scalar->bits);
    if (scalar->is_signed) own = replay_low(replay_signed(own, scalar->bits), scalar->declared);
    if (own != value) {
      replay_break(scalar->name, with_sign, "which does not fit the wires of its port");
      return 0;
    }
  }
  return 1;
}

/* How many elements each memory has in this call. */
static void replay_measure(const uint64_t *frame) {
  for (int i = 0; i < REPLAY_MEMORIES; i++) {
    const struct replay_memory *memory = &replay_memories[i];
    replay_at[i] = memory->parameter < 0 ? memory->data : (const unsigned char *)replay_argument(frame, memory->parameter);
    replay_count[i] = replay_readable(replay_at[i], memory->length * memory->size) / memory->size;
  }
  int is_overlapping = 0;
  for (int i = 0; i < REPLAY_MEMORIES; i++)
    for (int j = 0; j < REPLAY_MEMORIES; j++) {
      const struct replay_memory *one = &replay_memories[i], *other = &replay_memories[j];
      if (i == j || !(one->is_written || other->is_written) || replay_count[i] == 0 || replay_count[j] == 0) continue;
      if (replay_at[i] > replay_at[j] || (replay_at[i] == replay_at[j] && i < j)) continue;
      uint64_t between = (uint64_t)(replay_at[j] - replay_at[i]) / one->size;
      if (between < replay_count[i]) {
        replay_count[i] = between;
        is_overlapping = 1;
      }
    }
  replay_summary->overlapping += (uint64_t)is_overlapping;
}

/* A call begins; the frame has registers, the return address, and what the caller put on the stack. */
void replay_before(uint64_t *frame) {
  if (getpid() != replay_owner) {
    __atomic_fetch_add(&replay_summary->elsewhere, 1, __ATOMIC_RELAXED);
    return;
  }
  pthread_mutex_lock(&replay_lock);
  replay_summary->calls++;
  replay_is_written = replay_summary->written < replay_most && !(REPLAY_HAS_STATE && replay_summary->broken > 0);
  if (!replay_is_written || !(replay_is_written = replay_is_allowed(frame))) {
    pthread_mutex_unlock(&replay_lock);
    return;
  }
  replay_length = 0;
  for (int i = 0; i < REPLAY_SCALARS; i++)
    replay_number(replay_low(replay_argument(frame, replay_scalars[i].parameter), replay_scalars[i].declared));
  replay_measure(frame);
  for (int i = 0; i < REPLAY_MEMORIES; i++) {
    replay_number(replay_count[i]);
    replay_elements(i);
  }
  replay_is_undefined = 0;
  replay_return = frame[7];
  frame[7] = (uint64_t)replay_leave;
}

/* It ends; where it goes on. */
uint64_t replay_after(uint64_t result) {
  if (REPLAY_RESULT) replay_number(replay_low(result, REPLAY_RESULT) & REPLAY_MASK);
  for (int i = 0; i < REPLAY_MEMORIES; i++) replay_elements(i);
  if (replay_is_undefined) {
    if (replay_summary->broken++ == 0)
      snprintf(replay_summary->reason, sizeof replay_summary->reason,
               "call %llu: it does something undefined (the sanitizer says what)", (unsigned long long)replay_summary->calls);
  } else {
    char head[20];
    if (write(replay_file, replay_text, replay_length) != (ssize_t)replay_length) replay_fail("the calls cannot be written down; is the disk full?");
    snprintf(head, sizeof head, "%016llx\n", (unsigned long long)++replay_summary->written);
    if (pwrite(replay_file, head, 17, 0) != 17) replay_fail("the number of calls cannot be written down");
  }
  uint64_t back = replay_return;
  pthread_mutex_unlock(&replay_lock);
  return back;
}

void replay_enter(void);
__asm__(
    ".text\n.globl replay_enter\n.hidden replay_enter\nreplay_enter:\n"
    "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n  push %rax\n"
    "  mov %rsp, %rdi\n  call replay_before\n"
    "  pop %rax\n  pop %r9\n  pop %r8\n  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n"
    "  mov replay_real(%rip), %r11\n  jmp *%r11\n"
    ".globl replay_leave\n.hidden replay_leave\nreplay_leave:\n"
    "  push %rax\n  push %rdx\n  mov %rax, %rdi\n  call replay_after\n"
    "  mov %rax, %r11\n  pop %rdx\n  pop %rax\n  jmp *%r11\n");

/* Writes the jump. */
__attribute__((constructor(101))) static void replay_begin(void) {
  const char *vectors = getenv("OPCOST_REPLAY_VECTORS"), *summary = getenv("OPCOST_REPLAY_SUMMARY");
  const char *most = getenv("OPCOST_REPLAY_CALLS");
  /* A program that it starts is none of ours. */
  if (!vectors || !summary || !most) return;
  replay_most = strtoull(most, 0, 10);
  replay_owner = getpid();
  replay_file = open(vectors, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int counters = open(summary, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (replay_file < 0 || counters < 0 || ftruncate(counters, sizeof *replay_summary) != 0 ||
      write(replay_file, "0000000000000000\n", 17) != 17)
    replay_fail("the files for calls cannot be made");
  replay_summary = mmap(0, sizeof *replay_summary, PROT_READ | PROT_WRITE, MAP_SHARED, counters, 0);
  close(counters);
  if (replay_summary == MAP_FAILED) replay_fail("the counters cannot be made");
  unsetenv("OPCOST_REPLAY_VECTORS");
  unsetenv("OPCOST_REPLAY_SUMMARY");
  unsetenv("OPCOST_REPLAY_CALLS");
  unsigned char *entry = (unsigned char *)replay_top;
  static const unsigned char jump[] = {0x49, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x41, 0xff, 0xe3};
  uint64_t page = (uint64_t)entry & ~4095ull, to = (uint64_t)replay_enter;
  size_t pages = (((uint64_t)entry + sizeof jump - 1) & ~4095ull) + 4096 - page;
  if (mprotect((void *)page, pages, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
    replay_fail("this system does not let a program change its own code, so calls are not seen");
  memcpy(entry, jump, sizeof jump);
  memcpy(entry + 2, &to, 8);
  mprotect((void *)page, pages, PROT_READ | PROT_EXEC);
  replay_real = (uint64_t)entry + 16;
}
