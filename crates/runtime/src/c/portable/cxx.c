// What do C++ programs need that no header defines?
//
// Containers are templates, but the balancing of trees (Guibas and Sedgewick,
// "A dichromatic framework for balanced trees", 1978), the links of lists and
// the sizes of hash tables lie in the C++ library. They stand here under its
// names, with its structures, so that they are metered and alike everywhere.
// Where the library would throw, the program ends with the words that it would
// have thrown: portable programs have no exceptions.
#include "portable.h"

#include <stdbool.h>

// ---- trees -----------------------------------------------------------------

enum { RED, BLACK };

struct node {
  int color;
  struct node *parent, *left, *right;
};

struct node *_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base(struct node *at) {
  if (at->right) {
    for (at = at->right; at->left;) at = at->left;
    return at;
  }
  struct node *above = at->parent;
  for (; at == above->right; above = above->parent) at = above;
  // The head, when it is the root's parent and has the root as its right.
  return at->right == above ? at : above;
}

struct node *_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base(struct node *at) {
  // The head is red, and its parent's parent is itself.
  if (at->color == RED && at->parent->parent == at) return at->right;
  if (at->left) {
    for (at = at->left; at->right;) at = at->right;
    return at;
  }
  struct node *above = at->parent;
  for (; at == above->left; above = above->parent) at = above;
  return above;
}

const struct node *_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base(const struct node *at) {
  return _ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base((struct node *)at);
}
const struct node *_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base(const struct node *at) {
  return _ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base((struct node *)at);
}

// Puts `below` where `at` hangs.
static void opc_hang(struct node *at, struct node *below, struct node *head) {
  if (at == head->parent)
    head->parent = below;
  else if (at == at->parent->left)
    at->parent->left = below;
  else
    at->parent->right = below;
}

static void opc_turn_left(struct node *at, struct node *head) {
  struct node *up = at->right;
  at->right = up->left;
  if (up->left) up->left->parent = at;
  up->parent = at->parent;
  opc_hang(at, up, head);
  up->left = at;
  at->parent = up;
}

static void opc_turn_right(struct node *at, struct node *head) {
  struct node *up = at->left;
  at->left = up->right;
  if (up->right) up->right->parent = at;
  up->parent = at->parent;
  opc_hang(at, up, head);
  up->right = at;
  at->parent = up;
}

void _ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_(bool is_left, struct node *at,
                                                                       struct node *above, struct node *head) {
  at->parent = above;
  at->left = at->right = NULL;
  at->color = RED;
  if (is_left) {
    above->left = at; // of the head, too: the first one
    if (above == head) {
      head->parent = head->right = at;
    } else if (above == head->left) {
      head->left = at;
    }
  } else {
    above->right = at;
    if (above == head->right) head->right = at;
  }
  while (at != head->parent && at->parent->color == RED) {
    struct node *up = at->parent->parent;
    int on_left = at->parent == up->left;
    struct node *uncle = on_left ? up->right : up->left;
    if (uncle && uncle->color == RED) {
      at->parent->color = uncle->color = BLACK;
      up->color = RED;
      at = up;
      continue;
    }
    if (on_left ? at == at->parent->right : at == at->parent->left) {
      at = at->parent;
      if (on_left) opc_turn_left(at, head);
      else opc_turn_right(at, head);
    }
    at->parent->color = BLACK;
    up->color = RED;
    if (on_left) opc_turn_right(up, head);
    else opc_turn_left(up, head);
  }
  head->parent->color = BLACK;
}

// Makes up for a black node that is missing at `at`, which hangs below `above`.
static void opc_rebalance(struct node *at, struct node *above, struct node *head) {
  while (at != head->parent && (!at || at->color == BLACK)) {
    int on_left = at == above->left;
    struct node *other = on_left ? above->right : above->left;
    if (other->color == RED) {
      other->color = BLACK;
      above->color = RED;
      if (on_left) opc_turn_left(above, head);
      else opc_turn_right(above, head);
      other = on_left ? above->right : above->left;
    }
    struct node *near = on_left ? other->left : other->right, *far = on_left ? other->right : other->left;
    int near_is_black = !near || near->color == BLACK, far_is_black = !far || far->color == BLACK;
    if (near_is_black && far_is_black) {
      other->color = RED;
      at = above;
      above = above->parent;
      continue;
    }
    if (far_is_black) {
      near->color = BLACK;
      other->color = RED;
      if (on_left) opc_turn_right(other, head);
      else opc_turn_left(other, head);
      other = on_left ? above->right : above->left;
      far = on_left ? other->right : other->left;
    }
    other->color = above->color;
    above->color = BLACK;
    if (far) far->color = BLACK;
    if (on_left) opc_turn_left(above, head);
    else opc_turn_right(above, head);
    break;
  }
  if (at) at->color = BLACK;
}

struct node *_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_(struct node *gone, struct node *head) {
  struct node *below, *above;
  int color = gone->color;
  if (gone->left && gone->right) {
    // Its successor takes its place.
    struct node *next = gone->right;
    while (next->left) next = next->left;
    color = next->color;
    below = next->right;
    if (next != gone->right) {
      above = next->parent;
      above->left = below;
      if (below) below->parent = above;
      next->right = gone->right;
      gone->right->parent = next;
    } else {
      above = next;
    }
    next->left = gone->left;
    gone->left->parent = next;
    opc_hang(gone, next, head);
    next->parent = gone->parent;
    next->color = gone->color;
  } else {
    below = gone->left ? gone->left : gone->right;
    above = gone->parent;
    if (below) below->parent = above;
    opc_hang(gone, below, head);
    if (head->left == gone) {
      head->left = above;
      if (below)
        for (head->left = below; head->left->left;) head->left = head->left->left;
    }
    if (head->right == gone) {
      head->right = above;
      if (below)
        for (head->right = below; head->right->right;) head->right = head->right->right;
    }
  }
  if (color == BLACK) opc_rebalance(below, above, head);
  return gone;
}

// ---- lists -----------------------------------------------------------------

struct link {
  struct link *next, *previous;
};

void _ZNSt8__detail15_List_node_base7_M_hookEPS0_(struct link *at, struct link *before) {
  at->next = before;
  at->previous = before->previous;
  before->previous->next = at;
  before->previous = at;
}

void _ZNSt8__detail15_List_node_base9_M_unhookEv(struct link *at) {
  at->previous->next = at->next;
  at->next->previous = at->previous;
}

void _ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_(struct link *before, struct link *first, struct link *end) {
  if (before == end) return;
  struct link *last = end->previous;
  first->previous->next = end;
  end->previous = first->previous;
  before->previous->next = first;
  first->previous = before->previous;
  last->next = before;
  before->previous = last;
}

void _ZNSt8__detail15_List_node_base10_M_reverseEv(struct link *head) {
  struct link *at = head;
  do {
    struct link *next = at->next;
    at->next = at->previous;
    at->previous = next;
    at = next;
  } while (at != head);
}

static void opc_close(struct link *at, struct link *was) {
  if (at->next == was) {
    at->next = at->previous = at;
  } else {
    at->next->previous = at->previous->next = at;
  }
}

void _ZNSt8__detail15_List_node_base4swapERS0_S1_(struct link *a, struct link *b) {
  struct link kept = *a;
  *a = *b;
  *b = kept;
  opc_close(a, b);
  opc_close(b, a);
}

// ---- hash tables -----------------------------------------------------------

struct policy {
  float most_load;
  size_t next_growth;
};

static bool opc_is_prime(size_t number) {
  for (size_t divisor = 3; divisor <= number / divisor; divisor += 2)
    if (number % divisor == 0) return false;
  return true;
}

size_t _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(struct policy *policy, size_t wanted) {
  size_t prime = wanted < 11 ? 11 : wanted | 1;
  while (!opc_is_prime(prime)) prime += 2;
  double most = (double)prime * policy->most_load;
  policy->next_growth = most >= 1e18 ? SIZE_MAX : (size_t)most;
  return prime;
}

struct answer {
  bool is_needed;
  size_t buckets;
};

struct answer _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(struct policy *policy, size_t buckets,
                                                                       size_t elements, size_t more) {
  if (elements + more <= policy->next_growth) return (struct answer){false, 0};
  double least = (double)(elements + more) / policy->most_load;
  if (least < (double)buckets) {
    policy->next_growth = (size_t)((double)buckets * policy->most_load);
    return (struct answer){false, 0};
  }
  size_t wanted = (size_t)least + 1;
  if (wanted < buckets * 2) wanted = buckets * 2;
  return (struct answer){true, _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm(policy, wanted)};
}

// Multiplies and folds eight bytes at a time.
size_t _ZSt11_Hash_bytesPKvmm(const void *bytes, size_t count, size_t seed) {
  const char *at = bytes;
  uint64_t hash = seed ^ (count * UINT64_C(0x9e3779b97f4a7c15));
  for (; count > 0;) {
    uint64_t word = 0;
    size_t piece = count < 8 ? count : 8;
    for (size_t byte = 0; byte < piece; byte++) word |= (uint64_t)(unsigned char)at[byte] << 8 * byte;
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 32;
    at += piece;
    count -= piece;
  }
  return hash;
}

// ---- ends ------------------------------------------------------------------

void _ZSt20__throw_length_errorPKc(const char *what) { opc_die("length_error", what); }
void _ZSt19__throw_logic_errorPKc(const char *what) { opc_die("logic_error", what); }
void _ZSt20__throw_out_of_rangePKc(const char *what) { opc_die("out_of_range", what); }
void _ZSt24__throw_invalid_argumentPKc(const char *what) { opc_die("invalid_argument", what); }
void _ZSt21__throw_runtime_errorPKc(const char *what) { opc_die("runtime_error", what); }
void _ZSt20__throw_domain_errorPKc(const char *what) { opc_die("domain_error", what); }
void _ZSt20__throw_overflow_errorPKc(const char *what) { opc_die("overflow_error", what); }
void _ZSt17__throw_bad_allocv(void) { opc_die("bad_alloc", "there is no more memory"); }
void _ZSt28__throw_bad_array_new_lengthv(void) { opc_die("bad_array_new_length", "no array is that long"); }
void _ZSt25__throw_bad_function_callv(void) { opc_die("bad_function_call", "the function is empty"); }
void _ZSt19__throw_ios_failurePKc(const char *what) { opc_die("ios_base::failure", what); }
void _ZSt19__throw_regex_errorNSt15regex_constants10error_typeE(int kind) {
  (void)kind;
  opc_die("regex_error", "the pattern is none");
}
void _ZSt16__throw_bad_castv(void) { opc_die("bad_cast", "it is of another type"); }
void LIBRARY(_ZSt24__throw_out_of_range_fmtPKcz)(const char *format, opc_slots slots) {
  (void)slots;
  opc_die("out_of_range", format);
}
void _ZSt9terminatev(void) { opc_die("terminate", "the program gave up"); }
void __cxa_pure_virtual(void) { opc_die("pure virtual function", "it was called"); }

// Whether a pointer is shared that was made with its object: told by type information, which is not there.
bool _ZNSt19_Sp_make_shared_tag5_S_eqERKSt9type_info(const void *type) { return (void)type, false; }
char __libc_single_threaded = 1;
const char _ZSt7nothrow = 0;

// Objects inside functions, made at the first call. There is one thread.
int __cxa_guard_acquire(char *guard) { return !*guard; }
void __cxa_guard_release(char *guard) { *guard = 1; }
void __cxa_guard_abort(char *guard) { (void)guard; }

// <iostream>'s streams and their buffers: the header makes them ready, once.
char _ZSt3cin[512] __attribute__((aligned(16))), _ZSt4cout[512] __attribute__((aligned(16)));
char _ZSt4cerr[512] __attribute__((aligned(16))), _ZSt4clog[512] __attribute__((aligned(16)));
char opc_standard_buffers[3][128] __attribute__((aligned(16)));
int opc_streams_are_ready;
