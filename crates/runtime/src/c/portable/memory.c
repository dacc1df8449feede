// Where does a portable program's memory come from?
//
// From lists of free blocks, four sizes to each power of two; a list that is
// empty takes from a piece of the world's, of 64 KiB or more. The same calls
// cost the same on every machine, and every call but `calloc` and `realloc`
// takes constant time. Limit: a block goes back to its own list only, so memory
// is not joined; at most a quarter of a block is not used.
#include "portable.h"

#include <errno.h>

#define HEAD 16
#define PIECE (64 << 10)
#define SIZES 256

struct opc_free_block {
  struct opc_free_block *next;
};

static struct opc_free_block *opc_free_blocks[SIZES];
static char *opc_piece, *opc_piece_end;

// The list whose blocks hold `size` bytes, and the size of its blocks.
static unsigned opc_list_of(size_t size, size_t *rounded) {
  if (size <= 64) {
    *rounded = (size + 15) & ~(size_t)15;
    return (unsigned)(*rounded >> 4);
  }
  unsigned log = 63 - (unsigned)__builtin_clzll((unsigned long long)(size - 1));
  unsigned quarter = (unsigned)((size - 1) >> (log - 2)) & 3;
  *rounded = ((size_t)(quarter + 5)) << (log - 2);
  return 8 + (log - 6) * 4 + quarter;
}

static size_t *opc_size_at(void *memory) { return (size_t *)(void *)((char *)memory - HEAD); }

void *LIBRARY(malloc)(size_t size) {
  size_t rounded;
  if (size == 0) size = 1;
  if (size > SIZE_MAX / 4) {
    errno = ENOMEM;
    return NULL;
  }
  unsigned list = opc_list_of(size, &rounded);
  struct opc_free_block *block = opc_free_blocks[list];
  if (block) {
    opc_free_blocks[list] = block->next;
    return block;
  }
  size_t whole = rounded + HEAD;
  if ((size_t)(opc_piece_end - opc_piece) < whole) {
    size_t wanted = whole > PIECE ? (whole + 4095) & ~(size_t)4095 : PIECE;
    char *fresh = opc_world_grow((int64_t)wanted);
    if (!fresh) {
      errno = ENOMEM;
      return NULL;
    }
    opc_piece = fresh;
    opc_piece_end = fresh + wanted;
  }
  char *memory = opc_piece + HEAD;
  opc_piece += whole;
  *opc_size_at(memory) = rounded;
  return memory;
}

void LIBRARY(free)(void *memory) {
  if (!memory) return;
  size_t rounded;
  struct opc_free_block *block = memory;
  unsigned list = opc_list_of(*opc_size_at(memory), &rounded);
  block->next = opc_free_blocks[list];
  opc_free_blocks[list] = block;
}

void *LIBRARY(calloc)(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  void *memory = LIBRARY(malloc)(bytes);
  return memory ? memset(memory, 0, bytes) : NULL;
}

void *LIBRARY(realloc)(void *memory, size_t size) {
  if (!memory) return LIBRARY(malloc)(size);
  size_t old = *opc_size_at(memory);
  if (size && size <= old && size >= old / 2) return memory;
  void *fresh = LIBRARY(malloc)(size);
  if (!fresh) return NULL;
  memcpy(fresh, memory, old < size ? old : size);
  LIBRARY(free)(memory);
  return fresh;
}

void *LIBRARY(reallocarray)(void *memory, size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? NULL : LIBRARY(realloc)(memory, bytes);
}

static void *opc_new(size_t size) {
  void *memory = LIBRARY(malloc)(size);
  if (!memory) opc_die("operator new", "there is no more memory");
  return memory;
}

void *_Znwm(size_t size) { return opc_new(size); }
void *_Znam(size_t size) { return opc_new(size); }
void *_ZnwmRKSt9nothrow_t(size_t size, const void *tag) { return (void)tag, LIBRARY(malloc)(size); }
void *_ZnamRKSt9nothrow_t(size_t size, const void *tag) { return (void)tag, LIBRARY(malloc)(size); }
void _ZdlPv(void *memory) { LIBRARY(free)(memory); }
void _ZdaPv(void *memory) { LIBRARY(free)(memory); }
void _ZdlPvm(void *memory, size_t size) { (void)size, LIBRARY(free)(memory); }
void _ZdaPvm(void *memory, size_t size) { (void)size, LIBRARY(free)(memory); }

// Bytes by the functions' names, where the front end left them so.
void *LIBRARY(memcpy)(void *to, const void *from, size_t count) { return memcpy(to, from, count); }
void *LIBRARY(memmove)(void *to, const void *from, size_t count) { return memmove(to, from, count); }
void *LIBRARY(memset)(void *to, int byte, size_t count) { return memset(to, byte, count); }
int LIBRARY(memcmp)(const void *a, const void *b, size_t count) { return memcmp(a, b, count); }
int LIBRARY(bcmp)(const void *a, const void *b, size_t count) { return memcmp(a, b, count); }
