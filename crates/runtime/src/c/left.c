/* Which frames never return?
 *
 * Each is noted once by its return address in the left table of its image's
 * file, so the note survives what comes next. Exceptions and forced unwinding
 * call a frame's personality when they leave it, so noting costs nothing
 * until one flies. Ends of the program walk the stack. Frames outside counted
 * images (libc's, say) are skipped, and so are the runtime's own. */

static void opc_table_add(struct opc_header *header, uint64_t pc, int64_t delta) {
    struct opc_left *table = (struct opc_left *)((char *)header + header->left_offset);
    uint64_t mask = header->left_capacity - 1;
    uint64_t at = (pc * 0x9e3779b97f4a7c15ull) >> 32;
    for (uint64_t probe = 0; probe <= mask; probe++) {
        struct opc_left *entry = &table[(at + probe) & mask];
        uint64_t present = 0;
        if (!__atomic_compare_exchange_n(&entry->pc, &present, pc, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)
            && present != pc)
            continue;
        __atomic_fetch_add(&entry->count, delta, __ATOMIC_RELAXED);
        return;
    }
    __atomic_fetch_or(&header->flags, OPC_FLAG_LEFT_OVERFLOW, __ATOMIC_RELAXED);
}

/* The counted image that code belongs to; null for everyone else's code.
 * A return address is tested by the byte before it, which is in the call. */
static struct opc_image *opc_image_of(uintptr_t pc) {
    if (!opc_process) return NULL;
    for (struct opc_image *image = opc_process->images; image; image = image->next) {
        uintptr_t inside = pc - 1;
        if (inside < image->start || inside >= image->end || !image->header) continue;
        return inside >= image->runtime_start && inside < image->runtime_end ? NULL : image;
    }
    return NULL;
}

static void opc_note_left(uintptr_t pc, int64_t delta) {
    struct opc_image *image = opc_image_of(pc);
    struct opc_header *header = image ? __atomic_load_n(&image->header, __ATOMIC_ACQUIRE) : NULL;
    if (header) opc_table_add(header, pc, delta);
}

struct opc_walker {
    opc_visitor *visit;
    void *data;
    struct opc_frame frame; /* waits for its cfa; sp 0: none */
};

/* The unwinder gives with each frame its stack pointer at the call, which is
 * the cfa of the frame before; so each frame is visited one step late. */
static _Unwind_Reason_Code opc_step(struct _Unwind_Context *context, void *data) {
    struct opc_walker *walker = data;
    int is_interrupted = 0;
    uintptr_t pc = _Unwind_GetIPInfo(context, &is_interrupted);
    uintptr_t sp = _Unwind_GetCFA(context);
    if (walker->frame.sp) {
        walker->frame.cfa = sp;
        if (!walker->visit(&walker->frame, walker->data)) {
            walker->frame.sp = 0;
            return _URC_NORMAL_STOP;
        }
        walker->frame.sp = 0;
    }
    if (opc_image_of(pc + (is_interrupted != 0)))
        walker->frame = (struct opc_frame){.pc = is_interrupted ? 0 : pc, .sp = sp};
    return _URC_NO_REASON;
}

/* Visits the frames of counted code, innermost first, until told to stop. */
static void opc_walk(opc_visitor *visit, void *data) {
    struct opc_walker walker = {.visit = visit, .data = data};
    _Unwind_Backtrace(opc_step, &walker);
    if (walker.frame.sp) { /* nothing known below it: the outermost frame */
        walker.frame.cfa = UINTPTR_MAX;
        visit(&walker.frame, data);
    }
}

extern const char opc_main[] __asm__("main") __attribute__((weak));

#if defined __x86_64__
/* Whether a call instruction ends right before the address, where so many bytes are code: call rel32, or
 * call through a register or memory, whose forms have 2, 3, 4, 6 or 7 bytes. */
static bool opc_is_behind_call(const unsigned char *at, uintptr_t room) {
    if (room >= 5 && at[-5] == 0xe8) return true;
    for (unsigned length = 2; length <= 7; length++)
        if (room >= length && length != 5 && at[-(int)length] == 0xff && (at[1 - (int)length] & 0x38) == 0x10)
            return true;
    return false;
}
#endif

#if defined __x86_64__ && defined __linux__
extern const char opc_main[] __asm__("main") __attribute__((weak));

/* Whether a word of the stack belongs to the start of a program: the C library holds the addresses of main and of the entry
 * there, and the entry's call does not come back: a halt stands behind it. */
static bool opc_is_of_start(uintptr_t word) {
    uintptr_t entry = (uintptr_t)getauxval(AT_ENTRY);
    const unsigned char *at = (const unsigned char *)word;
    if (word == (uintptr_t)opc_main || word == entry) return !opc_is_behind_call(at, 8);
    return word > entry && word < entry + 64 && *at == 0xf4;
}
#endif

/* The code of the executable; empty where it has none or has several pieces. */
static void opc_find_code(const struct opc_image *image, uintptr_t *start, uintptr_t *end) {
    const ElfW(Phdr) *segment = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    unsigned pieces = 0;
    for (unsigned long left = getauxval(AT_PHNUM); left > 0; left--, segment++) {
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
        *start = image->bias + segment->p_vaddr;
        *end = *start + segment->p_memsz;
        pieces++;
    }
    if (pieces != 1) *end = *start;
}

/* Whether surely no counted frame of this image is on the stack of the main thread: no word of it is an address in its code, but
 * those of the start. Most programs end where main has returned. Then nothing is unwound: the unwinder would call a `strlen`
 * of the program's own, where there is one. */
static bool opc_is_stack_clear(const struct opc_image *image) {
#if defined __x86_64__ && defined __linux__
    uintptr_t at = (uintptr_t)__builtin_frame_address(0), top = (uintptr_t)getauxval(AT_RANDOM);
    struct rlimit limit;
    if (syscall(SYS_gettid) != getpid() || getrlimit(RLIMIT_STACK, &limit) != 0) return false;
    if (limit.rlim_cur > 1ull << 30 || at >= top || top - at > limit.rlim_cur) return false;
    uintptr_t start = 0, end = 0;
    if (image->is_main) opc_find_code(image, &start, &end);
    if (start == end) return false;
    for (at &= -sizeof(uintptr_t); at < top; at += sizeof(uintptr_t)) {
        uintptr_t word = *(volatile uintptr_t *)at;
        if (word < start + 8 || word - 1 >= end) continue;
        if (word - 1 >= image->runtime_start && word - 1 < image->runtime_end) continue;
        if (!opc_is_of_start(word)) return false;
    }
    return true;
#else
    (void)image;
    return false;
#endif
}

struct opc_noting {
    struct opc_frame until; /* this frame and those outside it are done */
    struct opc_frame innermost;
    struct opc_image *only; /* null: every image */
    int64_t delta;
};

static bool opc_note_frame(struct opc_frame *frame, void *data) {
    struct opc_noting *noting = data;
    if (noting->until.cfa && frame->cfa == noting->until.cfa && frame->pc == noting->until.pc) return false;
    if (!noting->innermost.cfa) noting->innermost = *frame;
    if (frame->pc == 0)
        opc_flag(OPC_FLAG_ASYNCHRONOUS_FRAME);
    else if (!noting->only || noting->only == opc_image_of(frame->pc))
        opc_note_left(frame->pc, noting->delta);
    return true;
}

/* Notes `delta` for the frames on the stack that are not noted yet. With +1
 * for all images they count as noted afterwards: an end within an end
 * (_exit in a handler of atexit) then adds only what lies deeper. */
static void opc_note_stack(struct opc_thread *thread, struct opc_image *only, int64_t delta) {
    struct opc_noting noting = {.until = thread->noted, .only = only, .delta = delta};
    opc_walk(opc_note_frame, &noting);
    if (delta > 0 && !only && noting.innermost.cfa) thread->noted = noting.innermost;
}

static void opc_note_unwound(struct _Unwind_Context *context, int actions) {
    int is_interrupted = 0;
    if (actions & _UA_FORCE_UNWIND) opc_before_forced();
    uintptr_t pc = _Unwind_GetIPInfo(context, &is_interrupted);
    if (is_interrupted)
        opc_flag(OPC_FLAG_ASYNCHRONOUS_FRAME); /* asynchronous cancellation */
    else
        opc_note_left(pc, 1);
}

/* Personality of counted functions that had none: nothing to clean up. */
OPC_HIDDEN __attribute__((used)) _Unwind_Reason_Code
opc_personality(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                struct _Unwind_Exception *exception, struct _Unwind_Context *context) {
    (void)version, (void)class, (void)exception;
    if (actions & _UA_CLEANUP_PHASE) opc_note_unwound(context, actions);
    return _URC_CONTINUE_UNWIND;
}

/* Behind the personality that a function had: a frame that installs a
 * landing pad goes on, any other is left. */
OPC_HIDDEN __attribute__((used)) int opc_personality_result(int result, int actions,
                                                            struct _Unwind_Context *context) {
    if ((actions & _UA_CLEANUP_PHASE) && result == _URC_CONTINUE_UNWIND) opc_note_unwound(context, actions);
    return result;
}
