/* cg: the smallest eigenvalue of a sparse symmetric matrix with a random
   pattern, by conjugate gradients. Row j lies between rowstr[j] and
   rowstr[j+1]: the lengths of the inner loops are data. What can be said of
   them is their sum. */
#include "common/common.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NA 1400
#define NONZER 7
#define NITER 5
#define NZ (NA * (NONZER + 1) * (NONZER + 1))
#define SHIFT 10.0
#define RCOND 1.0e-1

static int colidx[NZ], rowstr[NA + 1], arow[NA], acol[NA][NONZER + 1], nzloc[NA];
static double aelt[NA][NONZER + 1], a[NZ], x[NA + 2], z[NA + 2], p[NA + 2], q[NA + 2], r[NA + 2];
static int naa, nzz, firstrow, lastrow, firstcol, lastcol;
static long long tran, amult;

static void conj_grad(int colidx[], int rowstr[], double x[], double z[], double a[], double p[], double q[],
                      double r[], double *rnorm) {
  int j, k, cgit, cgitmax = 25;
  double d, sum, rho, rho0, alpha, beta;

  rho = 0.0;
  for (j = 0; j < naa + 1; j++) {
    q[j] = 0.0;
    z[j] = 0.0;
    r[j] = x[j];
    p[j] = r[j];
  }
  for (j = 0; j < lastcol - firstcol + 1; j++) {
    rho = rho + r[j] * r[j];
  }
  for (cgit = 1; cgit <= cgitmax; cgit++) {
    for (j = 0; j < lastrow - firstrow + 1; j++) {
      sum = 0.0;
      for (k = rowstr[j]; k < rowstr[j + 1]; k++) {
        sum = sum + a[k] * p[colidx[k]];
      }
      q[j] = sum;
    }
    d = 0.0;
    for (j = 0; j < lastcol - firstcol + 1; j++) {
      d = d + p[j] * q[j];
    }
    alpha = rho / d;
    rho0 = rho;
    rho = 0.0;
    for (j = 0; j < lastcol - firstcol + 1; j++) {
      z[j] = z[j] + alpha * p[j];
      r[j] = r[j] - alpha * q[j];
    }
    for (j = 0; j < lastcol - firstcol + 1; j++) {
      rho = rho + r[j] * r[j];
    }
    beta = rho / rho0;
    for (j = 0; j < lastcol - firstcol + 1; j++) {
      p[j] = r[j] + beta * p[j];
    }
  }

  sum = 0.0;
  for (j = 0; j < lastrow - firstrow + 1; j++) {
    d = 0.0;
    for (k = rowstr[j]; k < rowstr[j + 1]; k++) {
      d = d + a[k] * z[colidx[k]];
    }
    r[j] = d;
  }
  for (j = 0; j < lastcol - firstcol + 1; j++) {
    d = x[j] - r[j];
    sum = sum + d * d;
  }
  *rnorm = sqrt(sum);
}

/* nz different places below n, and what stands there. Draws until there are
   enough. */
static void sprnvc(int n, int nz, int nn1, double v[], int iv[]) {
  int nzv = 0, ii, i, was_there;
  double vecelt, vecloc;
  while (nzv < nz) {
    vecelt = uniform(&tran, amult);
    vecloc = uniform(&tran, amult);
    i = (int)((double)nn1 * vecloc);
    if (i >= n) continue;
    was_there = 0;
    for (ii = 0; ii < nzv; ii++) {
      if (iv[ii] == i) {
        was_there = 1;
        break;
      }
    }
    if (was_there) continue;
    v[nzv] = vecelt;
    iv[nzv] = i;
    nzv = nzv + 1;
  }
}

/* Element i becomes val; it is added if it is not there. */
static void vecset(double v[], int iv[], int *nzv, int i, double val) {
  int k, set = 0;
  for (k = 0; k < *nzv; k++) {
    if (iv[k] == i) {
      v[k] = val;
      set = 1;
    }
  }
  if (!set) {
    v[*nzv] = val;
    iv[*nzv] = i;
    *nzv = *nzv + 1;
  }
}

/* Sums the triples row by row; equal columns become one element. */
static void sparse(double a[], int colidx[], int rowstr[], int n, int nz, int arow[], int acol[][NONZER + 1],
                   double aelt[][NONZER + 1], int firstrow, int lastrow) {
  int nrows, i, j, j1, j2, nza, k, kk, nzrow, jcol, is_placed;
  double size, scale, ratio, va;

  nrows = lastrow - firstrow + 1;
  for (j = 0; j < nrows + 1; j++) {
    rowstr[j] = 0;
  }
  for (i = 0; i < n; i++) {
    for (nza = 0; nza < arow[i]; nza++) {
      j = acol[i][nza] + 1;
      rowstr[j] = rowstr[j] + arow[i];
    }
  }
  rowstr[0] = 0;
  for (j = 1; j < nrows + 1; j++) {
    rowstr[j] = rowstr[j] + rowstr[j - 1];
  }
  nza = rowstr[nrows];
  if (nza > nz) {
    printf(" there is no space for the matrix: %d %d\n", nza, nz);
    exit(2);
  }
  for (j = 0; j < nrows; j++) {
    for (k = rowstr[j]; k < rowstr[j + 1]; k++) {
      a[k] = 0.0;
      colidx[k] = -1;
    }
    nzloc[j] = 0;
  }

  size = 1.0;
  ratio = pow(RCOND, (1.0 / (double)n));
  for (i = 0; i < n; i++) {
    for (nza = 0; nza < arow[i]; nza++) {
      j = acol[i][nza];
      scale = size * aelt[i][nza];
      for (nzrow = 0; nzrow < arow[i]; nzrow++) {
        jcol = acol[i][nzrow];
        va = aelt[i][nzrow] * scale;
        if (jcol == j && j == i) {
          va = va + RCOND - SHIFT;
        }
        is_placed = 0;
        for (k = rowstr[j]; k < rowstr[j + 1]; k++) {
          if (colidx[k] > jcol) {
            /* Later ones make room. */
            for (kk = rowstr[j + 1] - 2; kk >= k; kk--) {
              if (colidx[kk] > -1) {
                a[kk + 1] = a[kk];
                colidx[kk + 1] = colidx[kk];
              }
            }
            colidx[k] = jcol;
            a[k] = 0.0;
            is_placed = 1;
            break;
          } else if (colidx[k] == -1) {
            colidx[k] = jcol;
            is_placed = 1;
            break;
          } else if (colidx[k] == jcol) {
            nzloc[j] = nzloc[j] + 1;
            is_placed = 1;
            break;
          }
        }
        if (!is_placed) {
          printf(" a row is full: %d\n", i);
          exit(2);
        }
        a[k] = a[k] + va;
      }
    }
    size = size * ratio;
  }

  /* Rows move together over what was saved. */
  for (j = 1; j < nrows; j++) {
    nzloc[j] = nzloc[j] + nzloc[j - 1];
  }
  for (j = 0; j < nrows; j++) {
    if (j > 0) {
      j1 = rowstr[j] - nzloc[j - 1];
    } else {
      j1 = 0;
    }
    j2 = rowstr[j + 1] - nzloc[j];
    nza = rowstr[j];
    for (k = j1; k < j2; k++) {
      a[k] = a[nza];
      colidx[k] = colidx[nza];
      nza = nza + 1;
    }
  }
  for (j = 1; j < nrows + 1; j++) {
    rowstr[j] = rowstr[j] - nzloc[j - 1];
  }
}

/* A sum of outer products of sparse random vectors, and a diagonal. */
static void makea(int n, int nz, double a[], int colidx[], int rowstr[], int firstrow, int lastrow, int arow[],
                  int acol[][NONZER + 1], double aelt[][NONZER + 1]) {
  int iouter, ivelt, nzv, nn1, ivc[NONZER + 1];
  double vc[NONZER + 1];

  /* The smallest power of two that is not below n. */
  nn1 = 1;
  do {
    nn1 = 2 * nn1;
  } while (nn1 < n);

  for (iouter = 0; iouter < n; iouter++) {
    nzv = NONZER;
    sprnvc(n, nzv, nn1, vc, ivc);
    vecset(vc, ivc, &nzv, iouter, 0.5);
    arow[iouter] = nzv;
    for (ivelt = 0; ivelt < nzv; ivelt++) {
      acol[iouter][ivelt] = ivc[ivelt];
      aelt[iouter][ivelt] = vc[ivelt];
    }
  }
  sparse(a, colidx, rowstr, n, nz, arow, acol, aelt, firstrow, lastrow);
}

int main(void) {
  static const double wanted_5[2] = {
      8.59715491517665,
      7.81480000000000e+04,
  };
  static const double wanted_2[2] = {
      8.57332792032217,
      7.81480000000000e+04,
  };
  int i, j, k, it, steps = NITER, verified = 0;
  double zeta, rnorm, norm1, norm2, found[2];
  FILE *fp;

  if ((fp = fopen("cg.input", "r")) != NULL) {
    if (fscanf(fp, "%d", &steps) != 1) return 2;
    fclose(fp);
  }
  naa = NA;
  nzz = NZ;
  firstrow = 0;
  lastrow = NA - 1;
  firstcol = 0;
  lastcol = NA - 1;
  tran = 314159265LL;
  amult = 1220703125LL;
  zeta = uniform(&tran, amult);
  makea(naa, nzz, a, colidx, rowstr, firstrow, lastrow, arow, acol, aelt);

  /* Columns from 0, whatever part of the matrix this is. */
  for (j = 0; j < lastrow - firstrow + 1; j++) {
    for (k = rowstr[j]; k < rowstr[j + 1]; k++) {
      colidx[k] = colidx[k] - firstcol;
    }
  }

  for (i = 0; i < NA + 1; i++) {
    x[i] = 1.0;
  }
  zeta = 0.0;
  timer_clear(1);
  timer_start(1);
  for (it = 1; it <= steps; it++) {
    conj_grad(colidx, rowstr, x, z, a, p, q, r, &rnorm);
    norm1 = 0.0;
    norm2 = 0.0;
    for (j = 0; j < lastcol - firstcol + 1; j++) {
      norm1 = norm1 + x[j] * z[j];
      norm2 = norm2 + z[j] * z[j];
    }
    norm2 = 1.0 / sqrt(norm2);
    zeta = SHIFT + 1.0 / norm1;
    printf("    %5d       %20.10E%20.13f\n", it, rnorm, zeta);
    for (j = 0; j < lastcol - firstcol + 1; j++) {
      x[j] = norm2 * z[j];
    }
  }
  timer_stop(1);

  found[0] = zeta;
  found[1] = (double)rowstr[naa];
  if (steps == 5) verified = compare(2, found, wanted_5, 1.0e-8);
  if (steps == 2) verified = compare(2, found, wanted_2, 1.0e-8);
  print_results("cg", NA, NONZER, 0, steps, zeta, verified);
  return verified ? 0 : 1;
}
