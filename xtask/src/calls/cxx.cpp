// What lies under the containers, exceptions and run-time types of C++:
// allocation, tree and list nodes, hashing, throwing and catching.
#include "at.h"
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <unordered_map>

using Align = std::align_val_t;
using Nothrow = const std::nothrow_t &;
AT(_Znwm, void *, (size_t n), (n))
AT(_Znam, void *, (size_t n), (n))
AT(_ZnwmRKSt9nothrow_t, void *, (size_t n, Nothrow t), (n, t))
AT(_ZnamRKSt9nothrow_t, void *, (size_t n, Nothrow t), (n, t))
AT(_ZnwmSt11align_val_t, void *, (size_t n, Align a), (n, a))
AT(_ZnamSt11align_val_t, void *, (size_t n, Align a), (n, a))
AT(_ZnwmSt11align_val_tRKSt9nothrow_t, void *, (size_t n, Align a, Nothrow t), (n, a, t))
AT(_ZnamSt11align_val_tRKSt9nothrow_t, void *, (size_t n, Align a, Nothrow t), (n, a, t))
AT(_ZdlPv, void, (void *p), (p))
AT(_ZdaPv, void, (void *p), (p))
AT(_ZdlPvm, void, (void *p, size_t n), (p, n))
AT(_ZdaPvm, void, (void *p, size_t n), (p, n))
AT(_ZdlPvRKSt9nothrow_t, void, (void *p, Nothrow t), (p, t))
AT(_ZdaPvRKSt9nothrow_t, void, (void *p, Nothrow t), (p, t))
AT(_ZdlPvSt11align_val_t, void, (void *p, Align a), (p, a))
AT(_ZdaPvSt11align_val_t, void, (void *p, Align a), (p, a))
AT(_ZdlPvmSt11align_val_t, void, (void *p, size_t n, Align a), (p, n, a))
AT(_ZdaPvmSt11align_val_t, void, (void *p, size_t n, Align a), (p, n, a))

static void allocation() {
  void *made[MANY];
  // Half are given back at once, half when as many are there.
#define PAIR(make, drop)                                          \
  for (int i = 0; i < MANY; i++) {                                \
    size_t n = 16 + (size_t)(i * 37 % 40) * (i % 32 ? 2 : 64);    \
    void *p = made[i] = make;                                     \
    if (i % 2) drop;                                              \
  }                                                               \
  for (int i = 0; i < MANY; i += 2) {                             \
    void *p = made[i];                                            \
    drop;                                                         \
  }
  constexpr Align wide{64};
  PAIR(at__Znwm(n), at__ZdlPv(p))
  PAIR(at__Znwm(n), at__ZdlPvm(p, 8))
  PAIR(at__Znam(n), at__ZdaPv(p))
  PAIR(at__Znam(n), at__ZdaPvm(p, 8))
  PAIR(at__ZnwmRKSt9nothrow_t(n, std::nothrow), at__ZdlPvRKSt9nothrow_t(p, std::nothrow))
  PAIR(at__ZnamRKSt9nothrow_t(n, std::nothrow), at__ZdaPvRKSt9nothrow_t(p, std::nothrow))
  PAIR(at__ZnwmSt11align_val_t(n, wide), at__ZdlPvSt11align_val_t(p, wide))
  PAIR(at__ZnamSt11align_val_t(n, wide), at__ZdaPvSt11align_val_t(p, wide))
  PAIR(at__ZnwmSt11align_val_tRKSt9nothrow_t(n, wide, std::nothrow), at__ZdlPvmSt11align_val_t(p, 8, wide))
  PAIR(at__ZnamSt11align_val_tRKSt9nothrow_t(n, wide, std::nothrow), at__ZdaPvmSt11align_val_t(p, 8, wide))
}

using Node = std::_Rb_tree_node_base;
struct Numbered : Node { int key; };
struct Link { Link *next, *before; };
struct Policy { float load; size_t next; };
AT(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, Node *, (Node * n), (n))
AT(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, Node *, (Node * n), (n))
AT(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, Node *, (Node * n), (n))
AT(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, Node *, (Node * n), (n))
AT(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_, void,
   (bool left, Node *n, Node *p, Node &h), (left, n, p, h))
AT(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_, Node *, (Node * n, Node &h), (n, h))
AT(_ZNSt8__detail15_List_node_base7_M_hookEPS0_, void, (Link * n, Link *at), (n, at))
AT(_ZNSt8__detail15_List_node_base9_M_unhookEv, void, (Link * n), (n))
AT(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_, void, (Link * at, Link *a, Link *b), (at, a, b))
AT(_ZNSt8__detail15_List_node_base4swapERS0_S1_, void, (Link * a, Link *b), (a, b))
AT(_ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm, size_t, (Policy * p, size_t n), (p, n))
using Grown = std::pair<bool, size_t>;
AT(_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm, Grown,
   (Policy * p, size_t a, size_t b, size_t c), (p, a, b, c))
AT(_ZSt11_Hash_bytesPKvmm, size_t, (const void *p, size_t n, size_t seed), (p, n, seed))

static void tree() {
  static Numbered nodes[TIMES * 8];
  Node head{};
  head._M_color = std::_S_red;
  head._M_left = head._M_right = &head;
  for (int i = 0; i < TIMES * 8; i++) {
    nodes[i].key = i * 40503 % 65536;
    Node *parent = &head, *at = head._M_parent;
    bool is_left = true;
    while (at) {
      parent = at;
      is_left = nodes[i].key < static_cast<Numbered *>(at)->key;
      at = is_left ? at->_M_left : at->_M_right;
    }
    at__ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(is_left, &nodes[i], parent, head);
  }
  Node *first = head._M_left, *last = head._M_right, *other = first, *back = last;
  for (int i = 1; i < TIMES * 8; i++) {
    first = at__ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(first);
    other = at__ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(other);
    last = at__ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(last);
    back = at__ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(back);
  }
  for (int i = 0; i < TIMES * 8; i++)
    at__ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(&nodes[i * 29 % (TIMES * 8)], head);
}

void containers() {
  tree();
  Link head{&head, &head}, other{&other, &other}, links[TIMES];
  for (Link &link : links) at__ZNSt8__detail15_List_node_base7_M_hookEPS0_(&link, &head);
  for (int i = 0; i < TIMES; i++) {
    at__ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(&other, head.next, head.next->next);
    at__ZNSt8__detail15_List_node_base4swapERS0_S1_(&head, &other);
    at__ZNSt8__detail15_List_node_base4swapERS0_S1_(&head, &other);
  }
  for (Link &link : links) at__ZNSt8__detail15_List_node_base9_M_unhookEv(&link);
  Policy policy{1.0, 0};
  size_t buckets = 1;
  for (int i = 0; i < TIMES * 8; i++) {
    auto [grows, more] =
        at__ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(&policy, buckets, i, 1);
    if (grows) buckets = more;
    if (i % 8 == 0) number = at__ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(&policy, i * i);
    number = at__ZSt11_Hash_bytesPKvmm("some words of a text", 4 + i % 16, 1);
  }
}

AT(__cxa_allocate_exception, void *, (size_t n), (n))
AT(__cxa_free_exception, void, (void *p), (p))
AT(__cxa_throw, void, (void *p, const void *type, void (*drop)(void *)), (p, type, drop))
AT(__cxa_get_exception_ptr, void *, (void *p), (p))
AT(__cxa_rethrow, void, (), ())
AT(__cxa_guard_acquire, int, (long *g), (g))
AT(__cxa_guard_release, void, (long *g), (g))
AT(__cxa_atexit, int, (void (*f)(void *), void *p, void *d), (f, p, d))
AT(__dynamic_cast, void *, (const void *p, const void *from, const void *to, long hint), (p, from, to, hint))
AT(_ZSt19__throw_logic_errorPKc, void, (const char *p), (p))
AT(_ZSt20__throw_length_errorPKc, void, (const char *p), (p))
AT(_ZSt20__throw_out_of_rangePKc, void, (const char *p), (p))
AT(_ZSt24__throw_invalid_argumentPKc, void, (const char *p), (p))
AT(_ZSt17__throw_bad_allocv, void, (), ())
AT(_ZSt28__throw_bad_array_new_lengthv, void, (), ())
AT(_ZSt16__throw_bad_castv, void, (), ())
AT(_ZSt25__throw_bad_function_callv, void, (), ())
void real_out_of_range(const char *, ...) __asm__("_ZSt24__throw_out_of_range_fmtPKcz");
ROW void at__ZSt24__throw_out_of_range_fmtPKcz(const char *p, size_t n) { real_out_of_range(p, n, n); }

AT(_ZNKSt9exception4whatEv, const char *, (const void *p), (p))
AT(_ZNKSt11logic_error4whatEv, const char *, (const void *p), (p))
AT(_ZNKSt13runtime_error4whatEv, const char *, (const void *p), (p))

struct Base { virtual ~Base() = default; };
struct Left : Base {};
struct Right : virtual Base {};
struct Derived : Left {};
struct Both : Left, Right {};
struct Noted { ~Noted() { number = 1; } };

// A frame with something to clean up, as most have that an exception passes.
template <class Act> __attribute__((noinline)) static void through(Act act) {
  Noted noted;
  act();
}

// What handlers and cleanups call, by the compiler's hand.
ROW void at___cxa_begin_catch(void (*act)()) { try { act(); } catch (int) {} }
ROW void at___cxa_end_catch(void (*act)()) { try { act(); } catch (int) {} }
ROW void at__Unwind_Resume(void (*act)()) { Noted noted; act(); }

#define THROWS(type)                                                                                       \
  AT(_ZNSt##type##C1EPKc, void, (void *p, const char *text), (p, text))                                    \
  AT(_ZNSt##type##C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE, void,                         \
     (void *p, const std::string &text), (p, text))                                                        \
  AT(_ZNSt##type##D1Ev, void, (void *p), (p))
THROWS(13runtime_error)
THROWS(11logic_error)
THROWS(12out_of_range)
THROWS(16invalid_argument)
THROWS(12length_error)
THROWS(12domain_error)
THROWS(11range_error)
THROWS(14overflow_error)
THROWS(15underflow_error)

void exceptions() {
  allocation();
  long guard = 0;
  std::string text = "what went wrong";
  for (int i = 0; i < TIMES; i++) {
    void *made = at___cxa_allocate_exception(8);
    pointer = at___cxa_get_exception_ptr(static_cast<char *>(made) - 32), at___cxa_free_exception(made);
    auto thrower = [] {
      void *made = at___cxa_allocate_exception(4);
      *static_cast<int *>(made) = 7;
      at___cxa_throw(made, &typeid(int), nullptr);
    };
    try { i % 2 ? through(thrower) : thrower(); } catch (int) {}
    at___cxa_begin_catch(thrower), at___cxa_end_catch(thrower);
    try { at__Unwind_Resume(thrower); } catch (int) {}
    try {
      throw 1;
    } catch (int) {
      try { at___cxa_rethrow(); } catch (int) {}
    }
    guard = 0;
    number = at___cxa_atexit([](void *) {}, nullptr, nullptr);
    number = at___cxa_guard_acquire(&guard), at___cxa_guard_release(&guard);
#define CAUGHT(call) try { call; } catch (...) {}
    CAUGHT(at__ZSt19__throw_logic_errorPKc("what"))
    CAUGHT(at__ZSt20__throw_length_errorPKc("what"))
    CAUGHT(at__ZSt20__throw_out_of_rangePKc("what"))
    CAUGHT(at__ZSt24__throw_invalid_argumentPKc("what"))
    CAUGHT(at__ZSt24__throw_out_of_range_fmtPKcz("at: n (which is %zu) >= size (which is %zu)", 7))
    CAUGHT(at__ZSt17__throw_bad_allocv())
    CAUGHT(at__ZSt28__throw_bad_array_new_lengthv())
    CAUGHT(at__ZSt16__throw_bad_castv())
    CAUGHT(at__ZSt25__throw_bad_function_callv())
    alignas(16) char room[64];
    std::exception plain;
    std::logic_error logic("what");
    std::runtime_error other("what");
    pointer = const_cast<char *>(at__ZNKSt9exception4whatEv(&plain));
    pointer = const_cast<char *>(at__ZNKSt11logic_error4whatEv(&logic));
    pointer = const_cast<char *>(at__ZNKSt13runtime_error4whatEv(&other));
#define MADE(type)                                                                                        \
  at__ZNSt##type##C1EPKc(room, "what"), at__ZNSt##type##D1Ev(room);                                       \
  at__ZNSt##type##C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(room, text);                  \
  at__ZNSt##type##D1Ev(room);
    MADE(13runtime_error)
    MADE(11logic_error)
    MADE(12out_of_range)
    MADE(16invalid_argument)
    MADE(12length_error)
    MADE(12domain_error)
    MADE(11range_error)
    MADE(14overflow_error)
    MADE(15underflow_error)
    Derived derived;
    Both both;
    Base *base = &derived;
    pointer = at___dynamic_cast(base, &typeid(Base), &typeid(Left), 0);
    pointer = at___dynamic_cast(base, &typeid(Base), &typeid(Derived), 0);
    pointer = at___dynamic_cast(base, &typeid(Base), &typeid(Both), 0);
    pointer = at___dynamic_cast(static_cast<Left *>(&both), &typeid(Left), &typeid(Right), -1);
  }
}

#ifdef WORST
// Classes of classes, in a row, side by side and twice over.
template <int depth> struct Row : Row<depth - 1> {};
template <> struct Row<0> : Base {};
template <int depth, int side> struct Twice : Twice<depth - 1, side * 2>, Twice<depth - 1, side * 2 + 1> {};
template <int side> struct Twice<0, side> : virtual Base {};
struct Stranger : virtual Base {};

template <class Whole> static void worst_of_types() {
  Whole whole;
  const Base *base = &whole;
  for (auto *to : {&typeid(Whole), &typeid(Stranger), &typeid(Right), &typeid(Row<3>)})
    pointer = at___dynamic_cast(base, &typeid(Base), to, 0), pointer = at___dynamic_cast(base, &typeid(Base), to, -1);
}

void worst_errors() {
  alignas(16) char room[64];
  for (size_t n : lengths()) {
    std::string text(n, 'x');
#define WORST_MADE(type)                                                                                  \
  at__ZNSt##type##C1EPKc(room, text.c_str()), at__ZNSt##type##D1Ev(room);                                 \
  at__ZNSt##type##C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(room, text);                  \
  at__ZNSt##type##D1Ev(room);
    WORST_MADE(13runtime_error)
    WORST_MADE(11logic_error)
    WORST_MADE(12out_of_range)
    WORST_MADE(16invalid_argument)
    WORST_MADE(12length_error)
    WORST_MADE(12domain_error)
    WORST_MADE(11range_error)
    WORST_MADE(14overflow_error)
    WORST_MADE(15underflow_error)
    CAUGHT(at__ZSt19__throw_logic_errorPKc(text.c_str()))
    CAUGHT(at__ZSt20__throw_length_errorPKc(text.c_str()))
    CAUGHT(at__ZSt20__throw_out_of_rangePKc(text.c_str()))
    CAUGHT(at__ZSt24__throw_invalid_argumentPKc(text.c_str()))
  }
  worst_of_types<Row<1>>(), worst_of_types<Row<10>>(), worst_of_types<Row<100>>();
  worst_of_types<Twice<4, 1>>(), worst_of_types<Twice<7, 1>>();
}

#include "draw.h"

void drawn_blocks() {
  for (Draws draws; draws.go_on();) {
    if (!one_in(100)) continue;
    Align wide{16ull << draw(one_in(4) ? 9 : 3)};
    switch (draw(11)) {
#define DRAWN_BLOCKS(make, drop) live_and_die([wide](size_t n) { return (void)wide, make; }, [wide](void *p) { (void)wide, drop; }); break;
    case 0: DRAWN_BLOCKS(at__Znwm(n), at__ZdlPv(p))
    case 1: DRAWN_BLOCKS(at__Znam(n), at__ZdaPvm(p, 8))
    case 2: DRAWN_BLOCKS(at__Znam(n), at__ZdaPv(p))
    case 3: DRAWN_BLOCKS(at__ZnwmRKSt9nothrow_t(n, std::nothrow), at__ZdlPvRKSt9nothrow_t(p, std::nothrow))
    case 4: DRAWN_BLOCKS(at__ZnamRKSt9nothrow_t(n, std::nothrow), at__ZdaPvRKSt9nothrow_t(p, std::nothrow))
    case 5: DRAWN_BLOCKS(at__ZnwmSt11align_val_t(n, wide), at__ZdlPvSt11align_val_t(p, wide))
    case 6: DRAWN_BLOCKS(at__ZnwmSt11align_val_tRKSt9nothrow_t(n, wide, std::nothrow), at__ZdlPvSt11align_val_t(p, wide))
    case 7: DRAWN_BLOCKS(at__ZnamSt11align_val_tRKSt9nothrow_t(n, wide, std::nothrow), at__ZdaPvSt11align_val_t(p, wide))
    case 9: DRAWN_BLOCKS(at__ZnwmSt11align_val_t(n, wide), at__ZdlPvmSt11align_val_t(p, 8, wide))
    case 8: DRAWN_BLOCKS(at__Znwm(n), at__ZdlPvm(p, 8))
    default: DRAWN_BLOCKS(at__ZnamSt11align_val_t(n, wide), at__ZdaPvmSt11align_val_t(p, 8, wide))
    }
  }
}

// Texts of errors, classes that are cast into each other, tables of hashes of any size.
template <class Whole> static void drawn_type() {
  static const std::type_info *const types[] = {&typeid(Whole), &typeid(Stranger), &typeid(Right), &typeid(Left), &typeid(Row<3>),
                                                &typeid(Both), &typeid(Twice<2, 1>), &typeid(Base)};
  Whole whole;
  const Base *base = &whole;
  auto *to = types[draw(8)];
  long hint = (long)draw(4) - 2;
  argue("%.50s to %.50s, %ld", typeid(Whole).name(), to->name(), hint);
  pointer = at___dynamic_cast(base, &typeid(Base), to, hint);
}

static void drawn_hashes() {
  static char bytes[100'100];
  static float loads[] = {1, 0.5, 0.01f, 1e-9f, 3, 100, 1e20f};
  for (char &one : bytes) one = (char)draw(256);
  for (Draws draws; draws.go_on();) {
    size_t n = any_length(100'000), at = draw(90);
    argue("%zu bytes", n);
    number = (double)at__ZSt11_Hash_bytesPKvmm(bytes + at, n, draw(UINT64_MAX));
    Policy policy{loads[draw(7)], 0};
    size_t buckets = one_in(4) ? 1 : (size_t)draw(1 << draw(30)) + 1, elements = draw(1ull << draw(40)), more = one_in(2) ? 1 : draw(1ull << draw(30));
    if (one_in(2)) policy.next = (size_t)((double)buckets * policy.load);
    argue("%zu buckets, %zu elements and %zu at %g", buckets, elements, more, (double)policy.load);
    at__ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(&policy, buckets, elements, more);
    number = (double)at__ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(&policy, one_in(8) ? draw(UINT64_MAX) : elements);
  }
}

static void drawn_texts(const char *text, const std::string &whole) {
  alignas(16) char room[64];
#define DRAWN_MADE(type)                                                                                  \
  at__ZNSt##type##C1EPKc(room, text), at__ZNSt##type##D1Ev(room);                                         \
  at__ZNSt##type##C1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(room, whole);                 \
  at__ZNSt##type##D1Ev(room);
  switch (draw(3)) {
  case 0: DRAWN_MADE(13runtime_error) DRAWN_MADE(11logic_error) DRAWN_MADE(12out_of_range) break;
  case 1: DRAWN_MADE(16invalid_argument) DRAWN_MADE(12length_error) DRAWN_MADE(12domain_error) break;
  default: DRAWN_MADE(11range_error) DRAWN_MADE(14overflow_error) DRAWN_MADE(15underflow_error)
  }
  // A throw takes as long as a thousand other calls.
  if (!one_in(4)) return;
  CAUGHT(at__ZSt19__throw_logic_errorPKc(text))
  CAUGHT(at__ZSt20__throw_length_errorPKc(text))
  CAUGHT(at__ZSt20__throw_out_of_rangePKc(text))
  CAUGHT(at__ZSt24__throw_invalid_argumentPKc(text))
}

void drawn_errors() {
  for (Draws draws; draws.go_on();) {
    size_t size = any_length(5000) + 1;
    argue("an object of %zu bytes", size);
    at___cxa_free_exception(at___cxa_allocate_exception(size));
    switch (draw(6)) {
    case 0: drawn_type<Row<2>>(); break;
    case 1: drawn_type<Row<30>>(); break;
    case 2: drawn_type<Twice<3, 1>>(); break;
    case 3: drawn_type<Twice<5, 1>>(); break;
    case 4: drawn_type<Derived>(); break;
    default: drawn_type<Stranger>();
    }
  }
  drawn_hashes();
  for (Draws draws(4); draws.go_on();) {
    std::string text(any_length(20'000), 'x');
    argue("%zu letters", text.size());
    drawn_texts(text.c_str(), text);
  }
}
#endif
