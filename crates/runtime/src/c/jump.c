/* Which frames does a longjmp leave?
 *
 * The jump knows the stack but not its target, which glibc hides in the
 * jmp_buf; the second return of setjmp knows the target but the stack is
 * gone. So the jump keeps the frames, and the instrumented code behind setjmp
 * calls opc_settle with its frame address: the kept frame that spans this
 * address is the target, those inside it are left. So is the call at which the
 * target itself stood: it comes in again behind its setjmp. Addresses are
 * compared within one frame only, so handlers on another stack do no harm.
 *
 * When a thread ends by pthread_exit or is cancelled, libc unwinds its stack
 * and jumps by itself to each handler that pthread_cleanup_push set up in C.
 * The personalities note the frames inside the target; only the call that the
 * target stood in is left to settle. It is known from the frames kept when
 * the unwinding began. A thread that is cancelled in the very function of the
 * handler meets no personality before the jump, and a flag says so.
 *
 * Cost: one walk of the whole stack per jump, about 0.1 microseconds a frame. */

static bool opc_keep_more(struct opc_thread *thread) {
    size_t old = thread->kept_capacity * sizeof(struct opc_frame), new = old ? 2 * old : 16384;
    void *kept = old ? mremap(thread->kept, old, new, MREMAP_MAYMOVE) : opc_memory(new);
    if (!kept || kept == MAP_FAILED) return false;
    thread->kept = kept;
    thread->kept_capacity = new / sizeof(struct opc_frame);
    return true;
}

static bool opc_keep_frame(struct opc_frame *frame, void *data) {
    struct opc_thread *thread = data;
    if (thread->kept_count == thread->kept_capacity && !opc_keep_more(thread)) {
        thread->kept_count = 0;
        opc_flag(OPC_FLAG_UNSETTLED_JUMP);
        return false;
    }
    thread->kept[thread->kept_count++] = *frame;
    return true;
}

/* The end did not come: a handler of SIGABRT jumped out of abort. Then the
 * frames noted for it are taken back; settling notes those really left. */
static void opc_unnote_kept(struct opc_thread *thread) {
    bool is_noted = false;
    for (size_t i = 0; i < thread->kept_count; i++) {
        struct opc_frame *frame = &thread->kept[i];
        is_noted |= frame->cfa == thread->noted.cfa && frame->pc == thread->noted.pc;
        if (is_noted && frame->pc) opc_note_left(frame->pc, -1);
    }
    thread->noted = (struct opc_frame){0};
    __atomic_store_n(&opc_process->ender, 0, __ATOMIC_SEQ_CST);
}

/* Frames kept for a jump that never came. */
static bool opc_is_unsettled(const struct opc_thread *thread) {
    return thread->kept_count && !thread->is_forced;
}

__attribute__((noinline)) static void opc_before_jump(void) {
    struct opc_thread *thread = opc_this_thread();
    if (!thread) return;
    if (opc_is_unsettled(thread)) opc_flag(OPC_FLAG_UNSETTLED_JUMP);
    thread->kept_count = 0;
    thread->is_forced = false;
    opc_walk(opc_keep_frame, thread);
    if (thread->noted.cfa) opc_unnote_kept(thread);
}

__attribute__((noinline)) static void opc_before_forced(void) {
    struct opc_thread *thread = opc_this_thread();
    if (!thread || (thread->is_forced && thread->kept_count)) return;
    thread->is_forced = true;
    thread->kept_count = 0;
    opc_walk(opc_keep_frame, thread);
}

/* Whether the frame address that llvm.frameaddress gives is this frame's: on
 * RISC-V it is the cfa itself, elsewhere it lies below and at or above the
 * stack pointer. */
static bool opc_spans(const struct opc_frame *frame, uintptr_t address) {
#ifdef __riscv
    return frame->sp < address && address <= frame->cfa;
#else
    return frame->sp <= address && address < frame->cfa;
#endif
}

OPC_HIDDEN __attribute__((used)) void opc_settle(void *frame_address) {
    struct opc_thread *thread = opc_this_thread();
    if (!thread) return;
    if (!thread->kept_count) { /* on to the next handler of the same function, or a jump that nobody saw */
        if (!thread->is_forced) opc_flag(OPC_FLAG_UNSETTLED_JUMP);
        return;
    }
    size_t count = thread->kept_count, target = 0;
    while (target < count && !opc_spans(&thread->kept[target], (uintptr_t)frame_address)) target++;
    if (target == count) { /* another stack, or the walk broke off before it */
        opc_flag(OPC_FLAG_UNSETTLED_JUMP);
        thread->kept_count = 0;
        return;
    }
    for (size_t i = thread->is_forced ? target : 0; i <= target; i++)
        if (thread->kept[i].pc)
            opc_note_left(thread->kept[i].pc, 1);
        else
            opc_flag(OPC_FLAG_ASYNCHRONOUS_FRAME);
    thread->kept_count = 0;
}

OPC_HIDDEN __attribute__((noreturn)) void opc_wrap_longjmp(jmp_buf buffer, int value) {
    opc_before_jump();
    longjmp(buffer, value);
}

OPC_HIDDEN __attribute__((noreturn)) void opc_wrap__longjmp(jmp_buf buffer, int value) {
    opc_before_jump();
    _longjmp(buffer, value);
}

OPC_HIDDEN __attribute__((noreturn)) void opc_wrap_siglongjmp(sigjmp_buf buffer, int value) {
    opc_before_jump();
    siglongjmp(buffer, value);
}

#ifdef __GLIBC__
extern __attribute__((noreturn)) void __longjmp_chk(jmp_buf buffer, int value);
OPC_HIDDEN __attribute__((noreturn)) void opc_wrap___longjmp_chk(jmp_buf buffer, int value) {
    opc_before_jump();
    __longjmp_chk(buffer, value);
}
#endif

OPC_HIDDEN __attribute__((noreturn)) void opc_wrap_pthread_exit(void *result) {
    opc_before_forced();
    pthread_exit(result);
}

OPC_HIDDEN __attribute__((noreturn)) void opc_wrap_thrd_exit(int result) {
    opc_before_forced();
    thrd_exit(result);
}
