// Characters of 16 and 32 bits. Not there; declared, so that whoever uses them is told by name.
#pragma once
#include <wchar.h>
#ifdef __cplusplus
extern "C" {
#else
typedef __CHAR16_TYPE__ char16_t;
typedef __CHAR32_TYPE__ char32_t;
#endif
size_t mbrtoc16(char16_t *, const char *, size_t, mbstate_t *);
size_t c16rtomb(char *, char16_t, mbstate_t *);
size_t mbrtoc32(char32_t *, const char *, size_t, mbstate_t *);
size_t c32rtomb(char *, char32_t, mbstate_t *);
#ifdef __cpp_char8_t
size_t mbrtoc8(char8_t *, const char *, size_t, mbstate_t *);
size_t c8rtomb(char *, char8_t, mbstate_t *);
#endif
#ifdef __cplusplus
}
#endif
