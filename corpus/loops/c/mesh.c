/* mesh: heat on a square that is cut into squares of several sizes. A source
   moves; where the heat changes fast, elements are cut in four, where it does
   not, four become one. Neighbours differ by one level at most. What bounds
   most loops is computed on the way. */
#include "common/common.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LMAX 6
#define NF (1 << LMAX)
#define LELT 4096
#define LHASH 16411
#define LQUEUE (4 * LELT)
#define LADJ (12 * LELT)

struct element {
  int ix, iy, level, flag;
  int vertex[4];
  double ta, tb;
};

/* A neighbour and how much of the side it has; rows are linked lists. */
struct link {
  struct element *to;
  double width;
  struct link *next;
};

static struct element elements[LELT];
static struct link links[LADJ], *rows[LELT];
static int owner[NF][NF], queue[LQUEUE], free_list[LELT], table[LHASH], number[LHASH];
static int nelt, nfree, ntot, nnode, nadj, head, tail;

/* Every finest cell knows who covers it. */
static void own(int e) {
  int size = 1 << (LMAX - elements[e].level), i, j;
  for (j = elements[e].iy * size; j < (elements[e].iy + 1) * size; j++) {
    for (i = elements[e].ix * size; i < (elements[e].ix + 1) * size; i++) {
      owner[j][i] = e;
    }
  }
}

/* Sixteen squares of level 2. */
static void create_initial_grid(void) {
  int i, j, e;
  nelt = 0;
  nfree = 0;
  for (j = 0; j < 4; j++) {
    for (i = 0; i < 4; i++) {
      struct element *new = &elements[nelt++];
      new->ix = i;
      new->iy = j;
      new->level = 2;
      new->flag = 0;
      new->ta = 0.0;
    }
  }
  ntot = nelt;
  for (e = 0; e < nelt; e++) {
    own(e);
  }
}

static void heat_source(int step, int steps) {
  double angle = 6.283185307179586 * (double)step / (double)steps;
  double cx = 0.5 + 0.3 * cos(angle), cy = 0.5 + 0.3 * sin(angle), x, y, size, d;
  struct element *e;
  for (e = elements; e < elements + nelt; e++) {
    e->ta = 0.8 * e->ta;
    size = 1.0 / (double)(1 << e->level);
    x = ((double)e->ix + 0.5) * size;
    y = ((double)e->iy + 0.5) * size;
    d = (x - cx) * (x - cx) + (y - cy) * (y - cy);
    if (d < 0.02) {
      e->ta = e->ta + 1.0 - 50.0 * d;
    }
  }
}

/* The finest cell across side, t cells along it; 0 beyond the border. */
static int beside(const struct element *e, int side, int t, int size, int *i, int *j) {
  switch (side) {
    case 0:
      *i = e->ix * size - 1;
      *j = e->iy * size + t;
      break;
    case 1:
      *i = (e->ix + 1) * size;
      *j = e->iy * size + t;
      break;
    case 2:
      *i = e->ix * size + t;
      *j = e->iy * size - 1;
      break;
    default:
      *i = e->ix * size + t;
      *j = (e->iy + 1) * size;
  }
  return *i >= 0 && *i < NF && *j >= 0 && *j < NF;
}

/* 1: to be cut; -1: may be joined. */
static void mark(void) {
  int e, side, size, t, i, j;
  double jump, d;
  for (e = 0; e < nelt; e++) {
    size = 1 << (LMAX - elements[e].level);
    jump = 0.0;
    for (side = 0; side < 4; side++) {
      for (t = 0; t < size; t++) {
        if (beside(&elements[e], side, t, size, &i, &j)) {
          d = fabs(elements[owner[j][i]].ta - elements[e].ta);
          if (d > jump) jump = d;
        }
      }
    }
    elements[e].flag = 0;
    if (jump > 0.25 && elements[e].level < LMAX) elements[e].flag = 1;
    if (jump < 0.05 && elements[e].level > 1) elements[e].flag = -1;
  }
}

/* Who is cut pulls coarser neighbours along, until nothing moves. */
static void balance(void) {
  int e, n, side, size, t, i, j;
  head = 0;
  tail = 0;
  for (e = 0; e < nelt; e++) {
    if (elements[e].flag == 1) {
      queue[tail++] = e;
    }
  }
  while (head < tail) {
    e = queue[head++];
    size = 1 << (LMAX - elements[e].level);
    for (side = 0; side < 4; side++) {
      for (t = 0; t < size; t++) {
        if (!beside(&elements[e], side, t, size, &i, &j)) break;
        n = owner[j][i];
        if (elements[n].level < elements[e].level && elements[n].flag != 1) {
          elements[n].flag = 1;
          if (tail >= LQUEUE) {
            printf(" the queue is full\n");
            exit(2);
          }
          queue[tail++] = n;
        }
      }
    }
  }
}

static int new_element(void) {
  if (nfree > 0) {
    return free_list[--nfree];
  }
  if (ntot >= LELT) {
    printf(" there are too many elements\n");
    exit(2);
  }
  return ntot++;
}

static void refine(int *cuts) {
  int e, n, child, old = nelt;
  for (e = 0; e < old; e++) {
    struct element *parent = &elements[e];
    if (parent->flag == 1 && parent->level < LMAX) {
      *cuts = *cuts + 1;
      for (child = 1; child <= 3; child++) {
        n = new_element();
        elements[n].ix = 2 * parent->ix + child % 2;
        elements[n].iy = 2 * parent->iy + child / 2;
        elements[n].level = parent->level + 1;
        elements[n].ta = parent->ta;
        elements[n].flag = 0;
        own(n);
      }
      parent->ix = 2 * parent->ix;
      parent->iy = 2 * parent->iy;
      parent->level = parent->level + 1;
      parent->flag = 0;
      own(e);
    }
  }
  nelt = ntot;
}

/* Has one of the four a neighbour that is finer? */
static int has_finer(const int s[4], int level, int size) {
  int k, side, t, i, j;
  for (k = 0; k < 4; k++) {
    for (side = 0; side < 4; side++) {
      for (t = 0; t < size; t++) {
        if (beside(&elements[s[k]], side, t, size, &i, &j) && elements[owner[j][i]].level > level) {
          return 1;
        }
      }
    }
  }
  return 0;
}

/* Four that all may be joined, of one parent and of one level, with no
   neighbour that is finer. */
static void coarsen(int *joins) {
  int e, k, s[4], size, can;
  for (e = 0; e < nelt; e++) {
    struct element *first = &elements[e];
    if (first->flag != -1 || first->ix % 2 != 0 || first->iy % 2 != 0 || first->level <= 1) continue;
    size = 1 << (LMAX - first->level);
    s[0] = e;
    s[1] = owner[first->iy * size][(first->ix + 1) * size];
    s[2] = owner[(first->iy + 1) * size][first->ix * size];
    s[3] = owner[(first->iy + 1) * size][(first->ix + 1) * size];
    can = 1;
    for (k = 1; k < 4; k++) {
      if (elements[s[k]].flag != -1 || elements[s[k]].level != first->level) can = 0;
    }
    if (!can || has_finer(s, first->level, size)) continue;
    *joins = *joins + 1;
    first->ta = 0.25 * (elements[s[0]].ta + elements[s[1]].ta + elements[s[2]].ta + elements[s[3]].ta);
    for (k = 1; k < 4; k++) {
      elements[s[k]].level = -1;
      elements[s[k]].flag = 0;
      free_list[nfree++] = s[k];
    }
    first->ix = first->ix / 2;
    first->iy = first->iy / 2;
    first->level = first->level - 1;
    first->flag = 0;
    own(e);
  }
}

/* The last ones move into the holes. */
static void pack(void) {
  int e = 0, last = ntot - 1;
  while (e <= last) {
    if (elements[e].level >= 0) {
      e++;
    } else if (elements[last].level < 0) {
      last--;
    } else {
      elements[e] = elements[last];
      own(e);
      elements[last].level = -1;
      last--;
      e++;
    }
  }
  nelt = last + 1;
  ntot = last + 1;
  nfree = 0;
}

/* Rows of neighbours; the step along a side is the neighbour's size. */
static void connect(void) {
  int e, n, side, size, t, i, j, step;
  nadj = 0;
  for (e = 0; e < nelt; e++) {
    struct link **end = &rows[e];
    *end = NULL;
    size = 1 << (LMAX - elements[e].level);
    for (side = 0; side < 4; side++) {
      t = 0;
      while (t < size && beside(&elements[e], side, t, size, &i, &j)) {
        n = owner[j][i];
        step = 1 << (LMAX - elements[n].level);
        if (step > size) step = size;
        if (nadj >= LADJ) {
          printf(" there are too many neighbours\n");
          exit(2);
        }
        links[nadj].to = &elements[n];
        links[nadj].width = (double)step / (double)size;
        links[nadj].next = NULL;
        *end = &links[nadj];
        end = &links[nadj].next;
        nadj++;
        t = t + step;
      }
    }
  }
}

static void diffuse(int rounds) {
  const struct link *link;
  double flow;
  int round, e;
  for (round = 0; round < rounds; round++) {
    for (e = 0; e < nelt; e++) {
      flow = 0.0;
      for (link = rows[e]; link != NULL; link = link->next) {
        flow = flow + link->width * (link->to->ta - elements[e].ta);
      }
      elements[e].tb = elements[e].ta + 0.1 * flow;
    }
    for (e = 0; e < nelt; e++) {
      elements[e].ta = elements[e].tb;
    }
  }
}

/* Corners get numbers: a table with open addresses. */
static void number_nodes(void) {
  int e, corner, size, i, j, key, h;
  nnode = 0;
  for (h = 0; h < LHASH; h++) {
    table[h] = -1;
  }
  for (e = 0; e < nelt; e++) {
    size = 1 << (LMAX - elements[e].level);
    for (corner = 0; corner < 4; corner++) {
      i = (elements[e].ix + corner % 2) * size;
      j = (elements[e].iy + corner / 2) * size;
      key = j * (NF + 1) + i;
      h = key * 37 % LHASH;
      while (table[h] != key && table[h] >= 0) {
        h++;
        if (h >= LHASH) h = 0;
      }
      if (table[h] < 0) {
        table[h] = key;
        number[h] = nnode++;
      }
      elements[e].vertex[corner] = number[h];
    }
  }
}

int main(void) {
  static const double wanted_30[6] = {
      9.76000000000000e+02,
      4.01000000000000e+03,
      1.07700000000000e+03,
      8.87000000000000e+02,
      5.67000000000000e+02,
      6.76366310308414e+02,
  };
  static const double wanted_5[6] = {
      9.40000000000000e+01,
      3.78000000000000e+02,
      1.24000000000000e+02,
      3.00000000000000e+01,
      4.00000000000000,
      6.91806732479999e+02,
  };
  int steps = 30, step, i, cuts = 0, joins = 0, verified = 0;
  double found[6], sum = 0.0, side;
  FILE *fp;

  if ((fp = fopen("inputmesh.data", "r")) != NULL) {
    if (fscanf(fp, "%d", &steps) != 1) return 2;
    fclose(fp);
  }
  create_initial_grid();
  timer_clear(1);
  timer_start(1);
  for (step = 1; step <= steps; step++) {
    heat_source(step, steps);
    mark();
    balance();
    refine(&cuts);
    coarsen(&joins);
    pack();
    connect();
    diffuse(4);
  }
  timer_stop(1);
  number_nodes();

  found[0] = (double)nelt;
  found[1] = (double)nadj;
  found[2] = (double)nnode;
  found[3] = (double)cuts;
  found[4] = (double)joins;
  found[5] = 0.0;
  for (i = 0; i < nelt; i++) {
    side = (double)(1 << (LMAX - elements[i].level));
    found[5] = found[5] + elements[i].ta * (side * side);
  }
  for (i = 0; i < 6; i++) {
    sum = sum + found[i];
  }
  if (steps == 30) verified = compare(6, found, wanted_30, 1.0e-8);
  if (steps == 5) verified = compare(6, found, wanted_5, 1.0e-8);
  print_results("mesh", NF, NF, LMAX, steps, sum, verified);
  return verified ? 0 : 1;
}
