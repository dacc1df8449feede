// Where does a plug-in's memory come from?
//
// From one range of addresses of its own, so that an instance is dropped with
// all it has, and the same calls give the same places in the range on every
// run. Two-level segregated fit (Masmano, Ripoll, Crespo, Real, "TLSF: a new
// dynamic memory allocator for real-time systems", 2004): free blocks lie in
// lists by size, sixteen to each power of two; two words of bits lead to the
// first list that fits; neighbours that are free are joined at once. Every
// call takes constant time, but for copying and clearing.
//
//   before | size, free? | payload …         a block; sizes count the head too
//
// Blocks behind the last one in use are given back to the untouched end of the
// range. What would go beyond the limit leaves for the host with the verdict
// `memory`; when the host comes back with a higher limit it is tried again,
// else the call fails as C has it (and `operator new` throws, as it is the
// library's own over `malloc`).
//
// Until the host has told its range, a small one of our own serves the C++
// library's first needs. Limit: 1 TiB.
#include "plugin.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#define LEVELS 41
#define LISTS 16
#define HEAD (2 * sizeof(size_t))
#define SMALLEST (HEAD + 16)
#define FREE ((size_t)1)
#define EARLY ((size_t)256 << 10)
#define MOST ((size_t)1 << 40)

struct block {
  size_t before; // size of the block before it, or 0
  size_t size;   // lowest bit: free
  struct block *next, *previous; // of its list, when it is free
};

static char early[EARLY] __attribute__((aligned(16)));
static struct {
  char *base, *top, *end;
  char *touched; // what lies behind has never been written
  size_t last;   // size of the block that ends at the top, or 0
  uint64_t levels;
  uint16_t lists[LEVELS];
  struct block *first[LEVELS][LISTS];
} heap;

static size_t size_of(const struct block *block) { return block->size & ~FREE; }
static struct block *behind(struct block *block) { return (struct block *)((char *)block + size_of(block)); }
static struct block *block_of(void *memory) { return (struct block *)((char *)memory - HEAD); }
static void *payload(struct block *block) { return (char *)block + HEAD; }

// The list of a size, from 32 upwards.
static void list_of(size_t size, unsigned *level, unsigned *list) {
  unsigned log = 63 - (unsigned)__builtin_clzll(size);
  *level = log - 4;
  *list = (unsigned)(size >> (log - 4)) & (LISTS - 1);
}

static void put(struct block *block) {
  unsigned level, list;
  list_of(block->size, &level, &list);
  block->next = heap.first[level][list];
  block->previous = NULL;
  if (block->next) block->next->previous = block;
  heap.first[level][list] = block;
  heap.levels |= (uint64_t)1 << level;
  heap.lists[level] |= (uint16_t)(1u << list);
  block->size |= FREE;
}

static void take_out(struct block *block) {
  unsigned level, list;
  block->size &= ~FREE;
  list_of(block->size, &level, &list);
  if (block->next) block->next->previous = block->previous;
  if (block->previous) block->previous->next = block->next;
  else if ((heap.first[level][list] = block->next) == NULL) {
    heap.lists[level] &= (uint16_t) ~(1u << list);
    if (!heap.lists[level]) heap.levels &= ~((uint64_t)1 << level);
  }
}

// A free block of at least this size, out of its list, or null.
static struct block *find(size_t size) {
  unsigned level, list;
  unsigned log = 63 - (unsigned)__builtin_clzll(size);
  // Up to the next list, all of whose blocks are large enough.
  list_of(size + ((size_t)1 << (log - 4)) - 1, &level, &list);
  if (level >= LEVELS) return NULL;
  unsigned fitting = heap.lists[level] & (~0u << list);
  if (!fitting) {
    uint64_t above = level + 1 < 64 ? heap.levels & (~(uint64_t)0 << (level + 1)) : 0;
    if (!above) return NULL;
    level = (unsigned)__builtin_ctzll(above);
    fitting = heap.lists[level];
  }
  struct block *block = heap.first[level][__builtin_ctz(fitting)];
  take_out(block);
  return block;
}

static void measure(void) {
  if (heap.base == early) return;
  opcost_plugin.heap_used = (uint64_t)(heap.top - heap.base);
  if (opcost_plugin.heap_used > opcost_plugin.heap_peak) opcost_plugin.heap_peak = opcost_plugin.heap_used;
}

static void start(void) {
  heap.base = heap.top = heap.touched = early;
  // The head of a block that is never free ends it.
  heap.end = early + EARLY - HEAD;
}

OPC_HIDDEN void opc_heap_open(void) {
  if (!heap.base) start();
  // What is left of the early range stays untouched.
  struct block *last = (struct block *)heap.top;
  last->size = HEAD;
  last->before = heap.last;
  heap.base = heap.top = heap.touched = opcost_plugin.heap;
  heap.last = 0;
}

static char *end_of_range(void) {
  return heap.base == early ? heap.end : opcost_plugin.heap + opcost_plugin.heap_limit;
}

// Gives a block, in no list, back to where it belongs.
static void give(struct block *block) {
  if ((char *)behind(block) != heap.top) {
    struct block *next = behind(block);
    if (next->size & FREE) {
      take_out(next);
      block->size += next->size;
    }
  }
  if (block->before) {
    struct block *previous = (struct block *)((char *)block - block->before);
    if (previous->size & FREE) {
      take_out(previous);
      previous->size += block->size;
      block = previous;
    }
  }
  if ((char *)behind(block) == heap.top) {
    heap.top = (char *)block;
    heap.last = block->before;
    measure();
    return;
  }
  behind(block)->before = block->size;
  put(block);
}

// Cuts a block in use down to a size.
static void trim(struct block *block, size_t size) {
  size_t rest = size_of(block) - size;
  if (rest < SMALLEST) return;
  struct block *tail = (struct block *)((char *)block + size);
  block->size = size;
  tail->before = size;
  tail->size = rest;
  if ((char *)behind(tail) == heap.top) heap.last = rest;
  else behind(tail)->before = rest;
  give(tail);
}

// A block of this size without asking the host, or null.
static struct block *try_get(size_t size) {
  struct block *block = find(size);
  if (block) {
    trim(block, size);
    return block;
  }
  if (size > (size_t)(end_of_range() - heap.top) || end_of_range() < heap.top) return NULL;
  block = (struct block *)heap.top;
  block->before = heap.last;
  block->size = heap.last = size;
  heap.top += size;
  measure();
  return block;
}

static size_t rounded(size_t bytes) { return bytes < 16 ? SMALLEST : (bytes + 15) / 16 * 16 + HEAD; }

static struct block *get(size_t bytes) {
  if (!heap.base) start();
  while (bytes < MOST) {
    struct block *block = try_get(rounded(bytes));
    if (block) return block;
    if (!opcost_plugin.leave) break;
    uint64_t limit = opcost_plugin.heap_limit;
    opc_leave(OPCOST_MEMORY);
    if (opcost_plugin.heap_limit <= limit) break;
  }
  errno = ENOMEM;
  return NULL;
}

// The block of what the bot says is its own.
static struct block *known(void *memory) {
  char *at = (char *)memory;
  int is_inside = (at >= early + HEAD && at < early + EARLY) || (at >= opcost_plugin.heap + HEAD && at < heap.top);
  if (!is_inside || (uintptr_t)at % 16 || (block_of(memory)->size & FREE))
    opc_crash(SIGABRT, "free of what malloc did not give, or twice", NULL);
  return block_of(memory);
}

// Memory that may have been written before.
static void touch(struct block *block) {
  if ((char *)behind(block) > heap.touched && (char *)block >= heap.base && (char *)block < heap.top)
    heap.touched = (char *)behind(block);
}

OPC_HIDDEN void *malloc(size_t bytes) {
  struct block *block = get(bytes);
  if (!block) return NULL;
  touch(block);
  return payload(block);
}

OPC_HIDDEN void free(void *memory) {
  if (memory) give(known(memory));
}

OPC_HIDDEN void *calloc(size_t count, size_t each) {
  size_t bytes;
  if (__builtin_mul_overflow(count, each, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  struct block *block = get(bytes);
  if (!block) return NULL;
  char *from = payload(block), *to = (char *)behind(block);
  int is_in_range = (char *)block >= heap.base && (char *)block < heap.top;
  if (is_in_range && to > heap.touched) to = heap.touched > from ? heap.touched : from;
  memset(from, 0, (size_t)(to - from));
  touch(block);
  return from;
}

OPC_HIDDEN void *realloc(void *memory, size_t bytes) {
  if (!memory) return malloc(bytes);
  if (bytes == 0) {
    free(memory);
    return NULL;
  }
  struct block *block = known(memory);
  size_t size = bytes < MOST ? rounded(bytes) : SIZE_MAX, old = size_of(block);
  if (size > old && size < MOST) {
    struct block *next = behind(block);
    if ((char *)next == heap.top) {
      if (size - old <= (size_t)(end_of_range() - heap.top) && end_of_range() >= heap.top) {
        heap.top += size - old;
        block->size = heap.last = size;
        measure();
      }
    } else if ((next->size & FREE) && old + size_of(next) >= size) {
      take_out(next);
      block->size += next->size;
      if ((char *)behind(block) == heap.top) heap.last = block->size;
      else behind(block)->before = block->size;
    }
  }
  if (size <= size_of(block)) {
    trim(block, size);
    touch(block);
    return memory;
  }
  void *moved = malloc(bytes);
  if (!moved) return NULL;
  memcpy(moved, memory, old - HEAD);
  give(block);
  return moved;
}

OPC_HIDDEN void *aligned_alloc(size_t alignment, size_t bytes) {
  if (alignment <= 16) return malloc(bytes);
  if ((alignment & (alignment - 1)) || bytes >= MOST || alignment >= MOST) {
    errno = EINVAL;
    return NULL;
  }
  struct block *block = get(bytes + alignment + SMALLEST);
  if (!block) return NULL;
  touch(block);
  uintptr_t at = (uintptr_t)payload(block);
  if (at % alignment) {
    at = (at + SMALLEST + alignment - 1) / alignment * alignment;
    struct block *inner = (struct block *)(at - HEAD);
    inner->before = (size_t)((char *)inner - (char *)block);
    inner->size = size_of(block) - inner->before;
    if ((char *)behind(inner) == heap.top) heap.last = inner->size;
    else behind(inner)->before = inner->size;
    block->size = inner->before;
    give(block);
    block = inner;
  }
  trim(block, rounded(bytes));
  return payload(block);
}

OPC_HIDDEN void *memalign(size_t alignment, size_t bytes) { return aligned_alloc(alignment, bytes); }
OPC_HIDDEN void *valloc(size_t bytes) { return aligned_alloc(4096, bytes); }

OPC_HIDDEN int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void *) || (alignment & (alignment - 1)) || alignment == 0) return EINVAL;
  void *got = aligned_alloc(alignment, bytes);
  if (got) *memory = got;
  return got ? 0 : ENOMEM;
}

OPC_HIDDEN size_t malloc_usable_size(void *memory) { return memory ? size_of(block_of(memory)) - HEAD : 0; }

OPC_HIDDEN char *strndup(const char *text, size_t most) {
  size_t length = strnlen(text, most);
  char *copy = malloc(length + 1);
  if (!copy) return NULL;
  copy[length] = 0;
  return memcpy(copy, text, length);
}

OPC_HIDDEN char *strdup(const char *text) { return strndup(text, SIZE_MAX); }
