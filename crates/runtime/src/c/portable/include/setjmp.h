// Jumps out of functions. Not there; declared, so that whoever uses them is told by name.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
typedef struct __jmp_buf_tag { long opc_words[25]; } jmp_buf[1];
typedef jmp_buf sigjmp_buf;
int _setjmp(jmp_buf) __attribute__((returns_twice));
int __sigsetjmp(sigjmp_buf, int) __attribute__((returns_twice));
void longjmp(jmp_buf, int) __attribute__((noreturn));
void siglongjmp(sigjmp_buf, int) __attribute__((noreturn));
#define setjmp(place) _setjmp(place)
#define sigsetjmp(place, mask) __sigsetjmp(place, mask)
#ifdef __cplusplus
}
#endif
