// Strings and what else the C++ library has ready-made become part of the program.
#pragma once
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
// Headers of the library take it for granted behind its own streams.
#include <ext/atomicity.h>
#include <string>

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
