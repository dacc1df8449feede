/* Moves the program's code into huge pages, before its constructors run.
 *
 * A page of 4 KiB has an entry of its own in the processor's table of addresses (TLB), and one of 2 MiB has one for
 * 512 of them. Files cannot be in huge pages on most kernels, but memory can. So the code is copied into memory that
 * asks for huge pages, and that memory takes its place by one system call (mremap). Addresses stay the same, so
 * pointers, exceptions and breakpoints do, too.
 *
 * The linker has to begin each segment at a multiple of 2 MiB, and the program at one address. Where the kernel says
 * no, or another thread runs already, the code stays where it is. Memory is never writable and executable at once. */
#define _GNU_SOURCE
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define OPC_HUGE ((uintptr_t)2 << 20)

extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

static uintptr_t opc_huge_up(uintptr_t address) { return (address + OPC_HUGE - 1) & ~(OPC_HUGE - 1); }

/* Whether no other segment begins in the huge pages of a segment's end. */
static int opc_huge_is_alone(const Elf64_Phdr *all, const Elf64_Phdr *own) {
  uintptr_t start = own->p_vaddr, end = opc_huge_up(start + own->p_memsz);
  for (int i = 0; i < __ehdr_start.e_phnum; i++) {
    const Elf64_Phdr *other = &all[i];
    if (other == own || other->p_type != PT_LOAD || other->p_memsz == 0) continue;
    if (other->p_vaddr < end && other->p_vaddr + other->p_memsz > start) return 0;
  }
  return 1;
}

static void opc_huge_move(const Elf64_Phdr *segment) {
  uintptr_t start = segment->p_vaddr;
  size_t size = opc_huge_up(segment->p_memsz), room = size + OPC_HUGE;
  char *memory = mmap(0, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  uintptr_t made = opc_huge_up((uintptr_t)memory);
  if (madvise((void *)made, size, MADV_HUGEPAGE) == 0) {
    memcpy((void *)made, (const void *)start, segment->p_memsz);
    if (mprotect((void *)made, size, PROT_READ | PROT_EXEC) == 0)
      (void)mremap((void *)made, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)start);
  }
  /* What was not moved, and the room before and after it. */
  if (made > (uintptr_t)memory) munmap(memory, made - (uintptr_t)memory);
  munmap((void *)(made + size), (uintptr_t)memory + room - (made + size));
}

__attribute__((constructor(101))) static void opc_huge(void) {
  struct stat threads;
  /* A folder has two links and one for each folder in it: the threads. */
  if (stat("/proc/self/task", &threads) != 0 || threads.st_nlink != 3) return;
  const Elf64_Phdr *all = (const Elf64_Phdr *)((const char *)&__ehdr_start + __ehdr_start.e_phoff);
  for (int i = 0; i < __ehdr_start.e_phnum; i++) {
    const Elf64_Phdr *segment = &all[i];
    int is_code = segment->p_type == PT_LOAD && (segment->p_flags & PF_X) && !(segment->p_flags & PF_W);
    if (is_code && segment->p_vaddr % OPC_HUGE == 0 && opc_huge_is_alone(all, segment)) opc_huge_move(segment);
  }
}
