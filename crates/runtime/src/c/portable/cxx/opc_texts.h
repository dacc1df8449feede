// How are characters, words and lines taken from a stream? What `<istream>` has
// besides the class, and the two functions for strings that `<string>` declares.
#pragma once

namespace std {
template <class C, class T>
class basic_iostream : public basic_istream<C, T>, public basic_ostream<C, T> {
 public:
  typedef C char_type;
  typedef typename T::int_type int_type;
  typedef typename T::pos_type pos_type;
  typedef typename T::off_type off_type;
  typedef T traits_type;
  explicit basic_iostream(basic_streambuf<C, T> *both) : basic_istream<C, T>(both) {}
  virtual ~basic_iostream() {}

 protected:
  basic_iostream() {}
  basic_iostream(basic_iostream &&other) : basic_istream<C, T>(static_cast<basic_iostream &&>(other)) {}
  basic_iostream &operator=(basic_iostream &&other) {
    swap(other);
    return *this;
  }
  void swap(basic_iostream &other) { basic_istream<C, T>::swap(other); }
};

template <class C, class T>
inline basic_istream<C, T> &operator>>(basic_istream<C, T> &s, C &to) {
  typename basic_istream<C, T>::sentry ready(s);
  if (!ready) return s;
  typename T::int_type c = s.rdbuf()->sbumpc();
  if (T::eq_int_type(c, T::eof())) s.setstate(ios_base::eofbit | ios_base::failbit);
  else to = T::to_char_type(c);
  return s;
}
template <class T>
inline basic_istream<char, T> &operator>>(basic_istream<char, T> &s, signed char &to) { return s >> (char &)to; }
template <class T>
inline basic_istream<char, T> &operator>>(basic_istream<char, T> &s, unsigned char &to) { return s >> (char &)to; }

// A word of fewer than `room` characters, and of fewer than the width.
template <class C, class T>
void __istream_extract(basic_istream<C, T> &s, C *to, streamsize room) {
  streamsize count = 0;
  typename basic_istream<C, T>::sentry ready(s);
  if (ready) {
    if (s.width() > 0 && s.width() < room) room = s.width();
    typename T::int_type c = s.rdbuf()->sgetc();
    for (; count + 1 < room && !T::eq_int_type(c, T::eof()); c = s.rdbuf()->snextc()) {
      if (opc_is(ctype_base::space, T::to_char_type(c))) break;
      to[count++] = T::to_char_type(c);
    }
    if (count + 1 < room && T::eq_int_type(c, T::eof())) s.setstate(ios_base::eofbit);
    to[count] = C();
    s.width(0);
  }
  if (!count) s.setstate(ios_base::failbit);
}
#if __cplusplus >= 202002L
template <class C, class T, size_t room>
inline basic_istream<C, T> &operator>>(basic_istream<C, T> &s, C (&to)[room]) {
  return __istream_extract(s, to, room), s;
}
template <class T, size_t room>
inline basic_istream<char, T> &operator>>(basic_istream<char, T> &s, signed char (&to)[room]) {
  return __istream_extract(s, (char *)to, room), s;
}
template <class T, size_t room>
inline basic_istream<char, T> &operator>>(basic_istream<char, T> &s, unsigned char (&to)[room]) {
  return __istream_extract(s, (char *)to, room), s;
}
#else
template <class C, class T>
inline basic_istream<C, T> &operator>>(basic_istream<C, T> &s, C *to) {
  return __istream_extract(s, to, numeric_limits<streamsize>::max()), s;
}
template <class T>
inline basic_istream<char, T> &operator>>(basic_istream<char, T> &s, signed char *to) { return s >> (char *)to; }
template <class T>
inline basic_istream<char, T> &operator>>(basic_istream<char, T> &s, unsigned char *to) { return s >> (char *)to; }
#endif

// Appends up to `most` characters, until `is_last` says so of one that is not taken; the character that is next.
template <class F>
inline int opc_append_until(streambuf *from, string &to, size_t most, F is_last) {
  char piece[128];
  size_t length = 0;
  int c = from->sgetc();
  to.clear();
  for (; most > 0 && c != EOF && !is_last((char)c); c = from->snextc(), most--) {
    if (length == sizeof piece) {
      to.append(piece, length);
      length = 0;
    }
    piece[length++] = (char)c;
  }
  to.append(piece, length);
  return c;
}
template <>
inline istream &operator>>(istream &s, string &to) {
  istream::sentry ready(s);
  if (!ready) return s;
  size_t most = s.width() > 0 ? (size_t)s.width() : to.max_size();
  int c = opc_append_until(s.rdbuf(), to, most, [](char c) { return opc_is(ctype_base::space, c); });
  int state = to.empty() ? +ios_base::failbit : +ios_base::goodbit;
  if (c == EOF && to.size() < most) state |= ios_base::eofbit;
  s.width(0);
  s.setstate(state);
  return s;
}
template <>
inline istream &getline(istream &s, string &to, char end) {
  istream::sentry ready(s, true);
  if (!ready) return s;
  int c = opc_append_until(s.rdbuf(), to, to.max_size(), [=](char c) { return c == end; });
  if (c != EOF) s.rdbuf()->sbumpc();
  else s.setstate(to.empty() ? ios_base::eofbit | ios_base::failbit : +ios_base::eofbit);
  return s;
}

template <class C, class T>
inline basic_istream<C, T> &ws(basic_istream<C, T> &s) {
  typename basic_istream<C, T>::sentry ready(s, true);
  if (ready && !s.pass_space()) s.setstate(ios_base::eofbit);
  return s;
}

// A stream that is about to go keeps its type: `std::istringstream("1 2") >> a >> b`.
template <class S, class V, class = typename enable_if<!is_lvalue_reference<S>::value && is_base_of<ios_base, S>::value>::type,
          class = decltype(declval<S &>() >> declval<V>())>
inline S &&operator>>(S &&s, V &&to) {
  s >> static_cast<V &&>(to);
  return static_cast<S &&>(s);
}
} // namespace std
