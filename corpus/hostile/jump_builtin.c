// __builtin_setjmp keeps no buffer that a jump could be followed by.
// refused: jump_builtin.c:
static void *buffer[5];
static volatile int work;
__attribute__((noinline)) static void jump(void) { __builtin_longjmp(buffer, 1); }
int main(void) {
    if (!__builtin_setjmp(buffer)) jump();
    work++;
}
