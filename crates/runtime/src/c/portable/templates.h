// Strings and what else the C++ library has ready-made become part of the program.
#pragma once
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
// Headers of the library take it for granted behind its own streams.
#include <ext/atomicity.h>
#if __cplusplus >= 201103L
#include <cstdio>
#include <ext/numeric_traits.h>

// `to_string` of a number with a fraction hands on the address of `vsnprintf` and
// variable arguments. Here that name means a word, by which it comes to the function
// below, which takes one number.
namespace std {
static const char opc_by_snprintf = 0;
}
namespace __gnu_cxx {
template <class S>
inline S __to_xstring(const char *, std::size_t, const char *format, double number) {
  char text[__numeric_traits<double>::__max_exponent10 + 20];
  return S(text, std::snprintf(text, sizeof text, format, number));
}
} // namespace __gnu_cxx
#define vsnprintf opc_by_snprintf
#endif
#include <string>
#undef vsnprintf

// Does a text lie apart from the string that it goes into? The library asks which
// of both lies first, and then once more or not; that is the machine's business,
// so here it is one comparison. (As libstdc++ 12 declares it: not `constexpr`.)
namespace std {
template <>
inline bool basic_string<char>::_M_disjunct(const char *text) const noexcept {
  return (size_t)text - (size_t)_M_data() > size();
}
template <>
inline bool basic_string<wchar_t>::_M_disjunct(const wchar_t *text) const noexcept {
  return (size_t)text - (size_t)_M_data() > size() * sizeof(wchar_t);
}
} // namespace std
