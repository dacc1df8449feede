// How are the trees and lists of C++ balanced and linked?
//
// Containers are templates, but the balancing of trees (Guibas and Sedgewick,
// "A dichromatic framework for balanced trees", 1978) and the links of lists lie
// in the C++ library. They stand here with its structures, compiled with the
// program, so that a walk pays for every step. Portable programs have them under
// the library's own names. Hash tables stay in the library, and are charged where
// they grow.
#include "library.h"

#include <stdbool.h>

#ifndef CXX
#define CXX(name) LIBRARY(name)
// Portable programs have hash tables of their own.
#define WITH_HASH_TABLES
#endif

// ---- trees -----------------------------------------------------------------

enum { RED, BLACK };

struct node {
  int color;
  struct node *parent, *left, *right;
};

struct node *CXX(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base)(struct node *at) {
  if (at->right) {
    for (at = at->right; at->left;) at = at->left;
    return at;
  }
  struct node *above = at->parent;
  for (; at == above->right; above = above->parent) at = above;
  // The head, when it is the root's parent and has the root as its right.
  return at->right == above ? at : above;
}

struct node *CXX(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base)(struct node *at) {
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

const struct node *CXX(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base)(const struct node *at) {
  return CXX(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base)((struct node *)at);
}
const struct node *CXX(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base)(const struct node *at) {
  return CXX(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base)((struct node *)at);
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

void CXX(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_)(bool is_left, struct node *at,
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

struct node *CXX(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_)(struct node *gone, struct node *head) {
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

void CXX(_ZNSt8__detail15_List_node_base7_M_hookEPS0_)(struct link *at, struct link *before) {
  at->next = before;
  at->previous = before->previous;
  before->previous->next = at;
  before->previous = at;
}

void CXX(_ZNSt8__detail15_List_node_base9_M_unhookEv)(struct link *at) {
  at->previous->next = at->next;
  at->next->previous = at->previous;
}

void CXX(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_)(struct link *before, struct link *first, struct link *end) {
  if (before == end) return;
  struct link *last = end->previous;
  first->previous->next = end;
  end->previous = first->previous;
  before->previous->next = first;
  first->previous = before->previous;
  last->next = before;
  before->previous = last;
}

void CXX(_ZNSt8__detail15_List_node_base10_M_reverseEv)(struct link *head) {
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

void CXX(_ZNSt8__detail15_List_node_base4swapERS0_S1_)(struct link *a, struct link *b) {
  struct link kept = *a;
  *a = *b;
  *b = kept;
  opc_close(a, b);
  opc_close(b, a);
}

#ifdef WITH_HASH_TABLES
// ---- hash tables -----------------------------------------------------------

// Whoever grows looks the next number of buckets up among primes.
enum { EACH_GROWTH = 150 };

struct opc_growth {
  bool grows;
  size_t buckets;
};
struct opc_growth _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(void *policy, size_t buckets, size_t elements,
                                                                            size_t more);
struct opc_growth LIBRARY(_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm)(void *policy, size_t buckets,
                                                                                     size_t elements, size_t more) {
  struct opc_growth made = _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(policy, buckets, elements, more);
  if (made.grows) opc_charge_units(EACH_GROWTH);
  return made;
}
#endif
