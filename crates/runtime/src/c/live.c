/* Where do words, notes and later versions of a program lie whose functions are replaced?
 *
 * A supervisor, which is another process, has a file beside the program's own, with `.live` behind its name. Its
 * pages take the place of those of the program, before any code of it runs: first the words and notes, which both
 * write, then the unwinder's table and the versions, which the supervisor alone writes. So a version comes in
 * without a thread, a signal or a call in the program, and no page can be written and executed here.
 *
 * Without such a file the program goes on as it was linked: words hold first versions, and the table of the unwinder
 * is that of the linker. A child of fork has the same pages; what is executed anew begins anew.
 *
 * Only the system is called here, since the program's own functions may have any name. Linked before all modules;
 * live_end.c stands behind them. */
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE 4096
/* Whether it is written (2: it is being written), whose word asked, how many bytes, and values of one header. */
#define NOTE 257
#define NOTES 256

__attribute__((section("opc_word"), aligned(PAGE), used)) uint64_t opc_live_begin[8] = {0};
__attribute__((section("opc_word"), used)) uint64_t opc_live_notes[NOTES * NOTE] = {0};
extern uint64_t opc_live_end[] __attribute__((visibility("hidden")));

/* Room for versions, which takes none in the file, and for the unwinder's table, which has to be in it. */
__asm__(".pushsection opc_arena,\"aw\",@nobits\n"
        ".balign 4096\n"
        ".globl opc_live_arena, opc_live_arena_end\n"
        ".hidden opc_live_arena, opc_live_arena_end\n"
        "opc_live_arena: .zero 67108864\n"
        "opc_live_arena_end:\n"
        ".popsection\n"
        ".pushsection opc_frames,\"a\",@progbits\n"
        ".balign 4096\n"
        ".globl opc_live_frames, opc_live_frames_end\n"
        ".hidden opc_live_frames, opc_live_frames_end\n"
        "opc_live_frames: .zero 524288\n"
        "opc_live_frames_end:\n"
        ".popsection\n");
extern char opc_live_arena[] __attribute__((visibility("hidden")));
extern char opc_live_arena_end[] __attribute__((visibility("hidden")));
extern char opc_live_frames[] __attribute__((visibility("hidden")));
extern char opc_live_frames_end[] __attribute__((visibility("hidden")));

/* What a compiler may call that the program does not call itself. */
__attribute__((used)) static const void *const opc_live_calls[] = {
    memcpy, memmove, memset, memcmp, bcmp, strlen, strchr, strrchr, memchr, strcmp, strncmp,
    strcpy, stpcpy, strncpy, strcat, puts, putchar, fputc, fputs, fwrite,
};

static long call(long number, long a, long b, long c, long d, long e, long f) {
    long result;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* What a word of a loop holds that asks for values: they are written down once, and the activation goes on. */
__attribute__((visibility("hidden"), used)) void *opc_live_note(const uint64_t *values, uint64_t *word) {
    for (int number = 0; number < NOTES; number++) {
        volatile uint64_t *note = &opc_live_notes[number * NOTE];
        uint64_t open = 0, own = (uint64_t)(uintptr_t)opc_live_note;
        if (note[1] != (uint64_t)(uintptr_t)word) continue;
        if (!__atomic_compare_exchange_n(&opc_live_notes[number * NOTE], &open, 2, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return 0;
        for (uint64_t at = 0; at * 8 < note[2] && at < NOTE - 3; at++) note[3 + at] = values[at];
        __atomic_store_n(&opc_live_notes[number * NOTE], 1, __ATOMIC_RELEASE);
        __atomic_compare_exchange_n(word, &own, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        return 0;
    }
    return 0;
}

/* Puts pages of the file in the place of others; the offset behind them, or 0. */
static size_t place(int file, size_t offset, const void *begin, const void *end, int protection) {
    size_t bytes = (size_t)((uintptr_t)end - (uintptr_t)begin);
    long at = call(SYS_mmap, (long)begin, (long)bytes, protection, MAP_SHARED | MAP_FIXED, file, (long)offset);
    return at == (long)begin ? offset + bytes : 0;
}

static void start(void) {
    char path[PAGE];
    /* With the dot, since the usual name of this link marks programs that read themselves. */
    static const char own[] = "/proc/self/./exe", behind[] = ".live";
    long length = call(SYS_readlink, (long)own, (long)path, (long)(sizeof path - sizeof behind), 0, 0, 0);
    if (length <= 0 || length >= (long)(sizeof path - sizeof behind)) return;
    for (size_t i = 0; i < sizeof behind; i++) path[length + (long)i] = behind[i];
    long file = call(SYS_open, (long)path, O_RDWR | O_CLOEXEC, 0, 0, 0, 0);
    if (file < 0) return;
    size_t words = (size_t)((uintptr_t)opc_live_end - (uintptr_t)opc_live_begin);
    size_t frames = place((int)file, PAGE + words, opc_live_frames, opc_live_frames_end, PROT_READ);
    /* Words come last: they lead to versions. */
    if (frames && place((int)file, frames, opc_live_arena, opc_live_arena_end, PROT_READ | PROT_EXEC))
        place((int)file, PAGE, opc_live_begin, opc_live_end, PROT_READ | PROT_WRITE);
    call(SYS_close, file, 0, 0, 0, 0, 0);
}

__attribute__((section(".preinit_array"), used)) static void (*const at_start)(void) = start;
