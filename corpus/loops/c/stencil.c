/* stencil: heat in a plate, step by step in time, each step solved by
   relaxation in two colours until the residual is small. Rows are allocated
   with extents that were read; the plate is a structure that functions get. */
#include "common/common.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct plate {
  int nx, ny, max_sweeps;
  double duration, step, tolerance;
  double hx, hy, ax, ay;
  double **t, **old, **source;
  double *profile;
};

static double **rows_of(int n, int m) {
  double **rows = malloc((size_t)n * sizeof(double *));
  int i;
  if (rows == NULL) exit(2);
  for (i = 0; i < n; i++) {
    rows[i] = calloc((size_t)m, sizeof(double));
    if (rows[i] == NULL) exit(2);
  }
  return rows;
}

static void free_rows(double **rows, int n) {
  while (n-- > 0) {
    free(rows[n]);
  }
  free(rows);
}

static void read_input(struct plate *p) {
  FILE *fp = fopen("inputstencil.data", "r");
  if (fp == NULL) return;
  if (fscanf(fp, "%d%d%lf%lf", &p->nx, &p->ny, &p->duration, &p->step) != 4 || p->nx < 3 || p->ny < 3) {
    printf(" inputstencil.data lacks numbers\n");
    exit(2);
  }
  fclose(fp);
}

static void prepare(struct plate *p) {
  int i, j;
  p->t = rows_of(p->ny + 2, p->nx + 2);
  p->old = rows_of(p->ny + 2, p->nx + 2);
  p->source = rows_of(p->ny + 1, p->nx + 1);
  p->profile = calloc((size_t)p->nx + 1, sizeof(double));
  if (p->profile == NULL) exit(2);
  p->hx = 1.0 / (p->nx + 1);
  p->hy = 1.0 / (p->ny + 1);
  p->ax = p->step / (p->hx * p->hx);
  p->ay = p->step / (p->hy * p->hy);
  for (j = 1; j <= p->ny; j++) {
    for (i = 1; i <= p->nx; i++) {
      p->source[j][i] = 50 * (i * p->hx) * (1 - i * p->hx) * sin(3.0 * j * p->hy);
    }
  }
  /* Hot on one side, warmer towards the middle. */
  for (j = 0; j <= p->ny + 1; j++) {
    p->t[j][0] = 1 - (2 * j * p->hy - 1) * (2 * j * p->hy - 1);
  }
}

/* Nothing flows through the far side and the top. */
static void insulate(double **a, int n, int m) {
  int i, j;
  for (j = 1; j < m - 1; j++) {
    a[j][n - 1] = a[j][n - 2];
  }
  for (i = 0; i < n; i++) {
    a[m - 1][i] = a[m - 2][i];
  }
}

/* Red and black in turn, until nothing moves or the sweeps are used up. */
static int relax(struct plate *p, double *residual) {
  const double omega = 1.3;
  int sweep, colour, i, j;
  double new, moved;
  for (sweep = 1; sweep <= p->max_sweeps; sweep++) {
    *residual = 0.0;
    for (colour = 0; colour <= 1; colour++) {
      for (j = 1; j <= p->ny; j++) {
        for (i = 1 + (j + colour) % 2; i <= p->nx; i += 2) {
          new = (p->old[j][i] + p->step * p->source[j][i] + p->ax * (p->t[j][i - 1] + p->t[j][i + 1]) +
                 p->ay * (p->t[j - 1][i] + p->t[j + 1][i])) /
                (1 + 2 * p->ax + 2 * p->ay);
          moved = fabs(new - p->t[j][i]);
          if (moved > *residual) *residual = moved;
          p->t[j][i] = p->t[j][i] + omega * (new - p->t[j][i]);
        }
      }
    }
    insulate(p->t, p->nx + 2, p->ny + 2);
    if (*residual < p->tolerance) return sweep;
  }
  return p->max_sweeps;
}

/* The clock is a sum of steps, and the end is met from below. */
static void march(struct plate *p, int *steps, int *sweeps) {
  double now = 0.0, residual = 0.0;
  int taken, i, j;
  *steps = 0;
  *sweeps = 0;
  while (now < p->duration - 0.5 * p->step) {
    for (j = 0; j < p->ny + 2; j++) {
      for (i = 0; i < p->nx + 2; i++) {
        p->old[j][i] = p->t[j][i];
      }
    }
    taken = relax(p, &residual);
    now = now + p->step;
    *steps = *steps + 1;
    *sweeps = *sweeps + taken;
    if (*steps % 4 == 0) {
      printf(" step %4d, %5d sweeps, residual below %10.2E\n", *steps, taken, p->tolerance);
    }
    if (residual > p->tolerance) {
      printf(" no convergence\n");
      exit(2);
    }
  }
}

/* Running means over windows of one, two, four, ... as long as they fit. */
static void smooth(double *line, int n) {
  double *copy = malloc((size_t)n * sizeof(double));
  int window, i;
  if (copy == NULL) exit(2);
  for (window = 1; 2 * window <= n; window *= 2) {
    for (i = 0; i < n; i++) {
      copy[i] = line[i];
    }
    for (i = 0; i < n - window; i++) {
      line[i] = 0.5 * (copy[i] + copy[i + window]);
    }
  }
  free(copy);
}

/* Sums, a profile by columns, and where it is warmest. */
static void measure(struct plate *p, double found[5]) {
  int i, j, place, low, high, middle, warm = 0;
  double sum, all = 0.0;
  for (i = 1; i <= p->nx; i++) {
    sum = 0.0;
    for (j = 1; j <= p->ny; j++) {
      sum += p->t[j][i];
    }
    p->profile[i] = sum / p->ny;
  }
  place = 1;
  for (i = 2; i <= p->nx; i++) {
    if (p->profile[i] > p->profile[place]) place = i;
  }
  for (j = 1; j <= p->ny; j++) {
    for (i = 1; i <= p->nx; i++) {
      all += p->t[j][i];
    }
  }
  for (j = 0; j < p->ny + 2; j++) {
    for (i = 0; i < p->nx + 2; i++) {
      if (p->t[j][i] > 0.25) warm++;
    }
  }
  found[2] = place;
  found[3] = all;
  /* The profile falls behind its top: where it goes below half, by halves. */
  low = place;
  high = p->nx;
  while (high - low > 1) {
    middle = (low + high) / 2;
    if (p->profile[middle] > 0.5 * p->profile[place]) {
      low = middle;
    } else {
      high = middle;
    }
  }
  smooth(p->profile + 1, p->nx);
  sum = 0.0;
  for (i = 1; i <= p->nx; i++) {
    sum += p->profile[i] * p->profile[i];
  }
  found[4] = low + warm + sum;
}

int main(void) {
  static const double wanted_48[5] = {
      1.00000000000000e+01,
      7.12000000000000e+02,
      1.00000000000000,
      3.90180871132349e+02,
      4.81800892688564e+02,
  };
  static const double wanted_12[5] = {
      1.00000000000000e+01,
      1.63000000000000e+02,
      1.00000000000000,
      2.27290158570416e+01,
      4.12661820255457e+01,
  };
  struct plate p = {48, 40, 200, 0.02, 0.002, 1.0e-9, 0, 0, 0, 0, NULL, NULL, NULL, NULL};
  int steps, sweeps, i, verified = 0;
  double found[5], sum = 0.0;

  read_input(&p);
  prepare(&p);
  timer_clear(1);
  timer_start(1);
  march(&p, &steps, &sweeps);
  timer_stop(1);
  measure(&p, found);
  found[0] = steps;
  found[1] = sweeps;
  for (i = 0; i < 5; i++) {
    sum += found[i];
  }
  if (p.nx == 48 && p.ny == 40) verified = compare(5, found, wanted_48, 1.0e-8);
  if (p.nx == 12 && p.ny == 9) verified = compare(5, found, wanted_12, 1.0e-8);
  print_results("stencil", p.nx, p.ny, 1, steps, sum, verified);
  free_rows(p.t, p.ny + 2);
  free_rows(p.old, p.ny + 2);
  free_rows(p.source, p.ny + 1);
  free(p.profile);
  return verified ? 0 : 1;
}
