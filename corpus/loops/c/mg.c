/* mg: V cycles of a multigrid method for Poisson's equation with periodic
   borders. Every level has its extents in arrays m1, m2, m3, indexed by
   level, and its place ir in the long vectors. */
#include "common/common.h"
#include <math.h>
#include <stdio.h>

#define LT_DEFAULT 5
#define NX_DEFAULT 32
#define NIT_DEFAULT 4
#define MAXLEVEL 7
#define M 34
#define NV (M * M * M)
#define NR (NV + NV / 4)
#define TEN 10

static int nx[MAXLEVEL + 1], ny[MAXLEVEL + 1], nz[MAXLEVEL + 1];
static int m1[MAXLEVEL + 1], m2[MAXLEVEL + 1], m3[MAXLEVEL + 1], ir[MAXLEVEL + 1];
static int lt, lb;
static int is1, is2, is3, ie1, ie2, ie3;
static double u[NR], v[NV], r[NR];

static void setup(int *n1, int *n2, int *n3) {
  int k, d, ax, mi[MAXLEVEL + 1][3], ng[MAXLEVEL + 1][3];
  ng[lt][0] = nx[lt];
  ng[lt][1] = ny[lt];
  ng[lt][2] = nz[lt];
  for (k = lt - 1; k >= 1; k--) {
    for (ax = 0; ax < 3; ax++) {
      ng[k][ax] = ng[k + 1][ax] / 2;
    }
  }
  for (k = lt; k >= 1; k--) {
    nx[k] = ng[k][0];
    ny[k] = ng[k][1];
    nz[k] = ng[k][2];
  }
  for (k = lt; k >= 1; k--) {
    for (d = 0; d < 3; d++) {
      mi[k][d] = 2 + ng[k][d];
    }
    m1[k] = mi[k][0];
    m2[k] = mi[k][1];
    m3[k] = mi[k][2];
  }
  k = lt;
  is1 = 2 + ng[k][0] - ng[lt][0];
  ie1 = 1 + ng[k][0];
  *n1 = 3 + ie1 - is1;
  is2 = 2 + ng[k][1] - ng[lt][1];
  ie2 = 1 + ng[k][1];
  *n2 = 3 + ie2 - is2;
  is3 = 2 + ng[k][2] - ng[lt][2];
  ie3 = 1 + ng[k][2];
  *n3 = 3 + ie3 - is3;
  ir[lt] = 0;
  for (k = lt - 1; k >= 1; k--) {
    ir[k] = ir[k + 1] + m1[k + 1] * m2[k + 1] * m3[k + 1];
  }
}

static void zero3(void *oz, int n1, int n2, int n3) {
  double(*z)[n2][n1] = (double(*)[n2][n1])oz;
  int i1, i2, i3;
  for (i3 = 0; i3 < n3; i3++) {
    for (i2 = 0; i2 < n2; i2++) {
      for (i1 = 0; i1 < n1; i1++) {
        z[i3][i2][i1] = 0.0;
      }
    }
  }
}

/* Periodic borders: each face is copied from the other side. */
static void comm3(void *ou, int n1, int n2, int n3) {
  double(*u)[n2][n1] = (double(*)[n2][n1])ou;
  int i1, i2, i3;
  for (i3 = 1; i3 < n3 - 1; i3++) {
    for (i2 = 1; i2 < n2 - 1; i2++) {
      u[i3][i2][0] = u[i3][i2][n1 - 2];
      u[i3][i2][n1 - 1] = u[i3][i2][1];
    }
    for (i1 = 0; i1 < n1; i1++) {
      u[i3][0][i1] = u[i3][n2 - 2][i1];
      u[i3][n2 - 1][i1] = u[i3][1][i1];
    }
  }
  for (i2 = 0; i2 < n2; i2++) {
    for (i1 = 0; i1 < n1; i1++) {
      u[0][i2][i1] = u[n3 - 2][i2][i1];
      u[n3 - 1][i2][i1] = u[1][i2][i1];
    }
  }
}

/* u := u + C r. Sums along the first index are used twice. */
static void psinv(void *or, void *ou, int n1, int n2, int n3, const double c[4]) {
  double(*r)[n2][n1] = (double(*)[n2][n1])or;
  double(*u)[n2][n1] = (double(*)[n2][n1])ou;
  double r1[M], r2[M];
  int i1, i2, i3;
  for (i3 = 1; i3 < n3 - 1; i3++) {
    for (i2 = 1; i2 < n2 - 1; i2++) {
      for (i1 = 0; i1 < n1; i1++) {
        r1[i1] = r[i3][i2 - 1][i1] + r[i3][i2 + 1][i1] + r[i3 - 1][i2][i1] + r[i3 + 1][i2][i1];
        r2[i1] = r[i3 - 1][i2 - 1][i1] + r[i3 - 1][i2 + 1][i1] + r[i3 + 1][i2 - 1][i1] + r[i3 + 1][i2 + 1][i1];
      }
      for (i1 = 1; i1 < n1 - 1; i1++) {
        u[i3][i2][i1] = u[i3][i2][i1] + c[0] * r[i3][i2][i1] + c[1] * (r[i3][i2][i1 - 1] + r[i3][i2][i1 + 1] + r1[i1]) +
                        c[2] * (r2[i1] + r1[i1 - 1] + r1[i1 + 1]);
      }
    }
  }
  comm3(u, n1, n2, n3);
}

/* r := v - A u */
static void resid(void *ou, void *ov, void *or, int n1, int n2, int n3, const double a[4]) {
  double(*u)[n2][n1] = (double(*)[n2][n1])ou;
  double(*v)[n2][n1] = (double(*)[n2][n1])ov;
  double(*r)[n2][n1] = (double(*)[n2][n1])or;
  double u1[M], u2[M];
  int i1, i2, i3;
  for (i3 = 1; i3 < n3 - 1; i3++) {
    for (i2 = 1; i2 < n2 - 1; i2++) {
      for (i1 = 0; i1 < n1; i1++) {
        u1[i1] = u[i3][i2 - 1][i1] + u[i3][i2 + 1][i1] + u[i3 - 1][i2][i1] + u[i3 + 1][i2][i1];
        u2[i1] = u[i3 - 1][i2 - 1][i1] + u[i3 - 1][i2 + 1][i1] + u[i3 + 1][i2 - 1][i1] + u[i3 + 1][i2 + 1][i1];
      }
      for (i1 = 1; i1 < n1 - 1; i1++) {
        r[i3][i2][i1] = v[i3][i2][i1] - a[0] * u[i3][i2][i1] - a[2] * (u2[i1] + u1[i1 - 1] + u1[i1 + 1]) -
                        a[3] * (u2[i1 - 1] + u2[i1 + 1]);
      }
    }
  }
  comm3(r, n1, n2, n3);
}

/* Fine to coarse: weights halve with each step of distance. */
static void rprj3(void *or, int m1k, int m2k, int m3k, void *os, int m1j, int m2j, int m3j) {
  double(*r)[m2k][m1k] = (double(*)[m2k][m1k])or;
  double(*s)[m2j][m1j] = (double(*)[m2j][m1j])os;
  double x1[M], y1[M], x2, y2;
  int j1, j2, j3, i1, i2, i3, d1 = 1, d2 = 1, d3 = 1;
  if (m1k == 3) d1 = 2;
  if (m2k == 3) d2 = 2;
  if (m3k == 3) d3 = 2;
  for (j3 = 1; j3 < m3j - 1; j3++) {
    i3 = 2 * j3 - d3;
    for (j2 = 1; j2 < m2j - 1; j2++) {
      i2 = 2 * j2 - d2;
      for (j1 = 1; j1 < m1j; j1++) {
        i1 = 2 * j1 - d1;
        x1[i1] = r[i3 + 1][i2][i1] + r[i3 + 1][i2 + 2][i1] + r[i3][i2 + 1][i1] + r[i3 + 2][i2 + 1][i1];
        y1[i1] = r[i3][i2][i1] + r[i3 + 2][i2][i1] + r[i3][i2 + 2][i1] + r[i3 + 2][i2 + 2][i1];
      }
      for (j1 = 1; j1 < m1j - 1; j1++) {
        i1 = 2 * j1 - d1;
        y2 = r[i3][i2][i1 + 1] + r[i3 + 2][i2][i1 + 1] + r[i3][i2 + 2][i1 + 1] + r[i3 + 2][i2 + 2][i1 + 1];
        x2 = r[i3 + 1][i2][i1 + 1] + r[i3 + 1][i2 + 2][i1 + 1] + r[i3][i2 + 1][i1 + 1] + r[i3 + 2][i2 + 1][i1 + 1];
        s[j3][j2][j1] = 0.5 * r[i3 + 1][i2 + 1][i1 + 1] +
                        0.25 * (r[i3 + 1][i2 + 1][i1] + r[i3 + 1][i2 + 1][i1 + 2] + x2) +
                        0.125 * (x1[i1] + x1[i1 + 2] + y2) + 0.0625 * (y1[i1] + y1[i1 + 2]);
      }
    }
  }
  comm3(s, m1j, m2j, m3j);
}

/* Coarse to fine, added: eight corners of each coarse cell. */
static void interp(void *oz, int mm1, int mm2, int mm3, void *ou, int n1, int n2) {
  double(*z)[mm2][mm1] = (double(*)[mm2][mm1])oz;
  double(*u)[n2][n1] = (double(*)[n2][n1])ou;
  double z1[M], z2[M], z3[M];
  int i1, i2, i3;
  for (i3 = 0; i3 < mm3 - 1; i3++) {
    for (i2 = 0; i2 < mm2 - 1; i2++) {
      for (i1 = 0; i1 < mm1; i1++) {
        z1[i1] = z[i3][i2 + 1][i1] + z[i3][i2][i1];
        z2[i1] = z[i3 + 1][i2][i1] + z[i3][i2][i1];
        z3[i1] = z[i3 + 1][i2 + 1][i1] + z[i3 + 1][i2][i1] + z1[i1];
      }
      for (i1 = 0; i1 < mm1 - 1; i1++) {
        u[2 * i3][2 * i2][2 * i1] += z[i3][i2][i1];
        u[2 * i3][2 * i2][2 * i1 + 1] += 0.5 * (z[i3][i2][i1 + 1] + z[i3][i2][i1]);
      }
      for (i1 = 0; i1 < mm1 - 1; i1++) {
        u[2 * i3][2 * i2 + 1][2 * i1] += 0.5 * z1[i1];
        u[2 * i3][2 * i2 + 1][2 * i1 + 1] += 0.25 * (z1[i1] + z1[i1 + 1]);
      }
      for (i1 = 0; i1 < mm1 - 1; i1++) {
        u[2 * i3 + 1][2 * i2][2 * i1] += 0.5 * z2[i1];
        u[2 * i3 + 1][2 * i2][2 * i1 + 1] += 0.25 * (z2[i1] + z2[i1 + 1]);
      }
      for (i1 = 0; i1 < mm1 - 1; i1++) {
        u[2 * i3 + 1][2 * i2 + 1][2 * i1] += 0.25 * z3[i1];
        u[2 * i3 + 1][2 * i2 + 1][2 * i1 + 1] += 0.125 * (z3[i1] + z3[i1 + 1]);
      }
    }
  }
}

/* One V cycle: down to level lb, and up again. */
static void mg3p(double u[], double v[], double r[], const double a[4], const double c[4], int n1, int n2, int n3) {
  int k, j;
  for (k = lt; k >= lb + 1; k--) {
    j = k - 1;
    rprj3(&r[ir[k]], m1[k], m2[k], m3[k], &r[ir[j]], m1[j], m2[j], m3[j]);
  }
  k = lb;
  zero3(&u[ir[k]], m1[k], m2[k], m3[k]);
  psinv(&r[ir[k]], &u[ir[k]], m1[k], m2[k], m3[k], c);
  for (k = lb + 1; k <= lt - 1; k++) {
    j = k - 1;
    zero3(&u[ir[k]], m1[k], m2[k], m3[k]);
    interp(&u[ir[j]], m1[j], m2[j], m3[j], &u[ir[k]], m1[k], m2[k]);
    resid(&u[ir[k]], &r[ir[k]], &r[ir[k]], m1[k], m2[k], m3[k], a);
    psinv(&r[ir[k]], &u[ir[k]], m1[k], m2[k], m3[k], c);
  }
  j = lt - 1;
  interp(&u[ir[j]], m1[j], m2[j], m3[j], u, n1, n2);
  resid(u, v, r, n1, n2, n3, a);
  psinv(r, u, n1, n2, n3, c);
}

static void norm2u3(void *or, int n1, int n2, int n3, double *rnm2, double *rnmu, int nx0, int ny0, int nz0) {
  double(*r)[n2][n1] = (double(*)[n2][n1])or;
  double s = 0.0, e;
  int i1, i2, i3;
  *rnmu = 0.0;
  for (i3 = 1; i3 < n3 - 1; i3++) {
    for (i2 = 1; i2 < n2 - 1; i2++) {
      for (i1 = 1; i1 < n1 - 1; i1++) {
        s = s + r[i3][i2][i1] * r[i3][i2][i1];
        e = fabs(r[i3][i2][i1]);
        if (e > *rnmu) *rnmu = e;
      }
    }
  }
  *rnm2 = sqrt(s / ((double)nx0 * (double)ny0 * (double)nz0));
}

/* Moves the newcomer to its place; leaves as soon as it is there. */
static void bubble(double ten[TEN][2], int j1[TEN][2], int j2[TEN][2], int j3[TEN][2], int m, int ind) {
  double temp;
  int i, t;
  for (i = 0; i < m - 1; i++) {
    if (ind == 1 ? ten[i][ind] <= ten[i + 1][ind] : ten[i][ind] >= ten[i + 1][ind]) {
      return;
    }
    temp = ten[i + 1][ind];
    ten[i + 1][ind] = ten[i][ind];
    ten[i][ind] = temp;
    t = j1[i + 1][ind];
    j1[i + 1][ind] = j1[i][ind];
    j1[i][ind] = t;
    t = j2[i + 1][ind];
    j2[i + 1][ind] = j2[i][ind];
    j2[i][ind] = t;
    t = j3[i + 1][ind];
    j3[i + 1][ind] = j3[i][ind];
    j3[i][ind] = t;
  }
}

/* Charges +1 and -1 where random numbers are largest and smallest. */
static void zran3(void *oz, int n1, int n2, int n3, int nx, int ny) {
  double(*z)[n2][n1] = (double(*)[n2][n1])oz;
  double ten[TEN][2];
  int j1[TEN][2], j2[TEN][2], j3[TEN][2];
  int i, i1, i2, i3, d1, e2, e3;
  long long a = 1220703125LL, a1, a2, x0, x1, xx;
  a1 = power(a, nx);
  a2 = power(a, nx * ny);
  zero3(z, n1, n2, n3);
  d1 = ie1 - is1 + 1;
  e2 = ie2 - is2 + 2;
  e3 = ie3 - is3 + 2;
  x0 = 314159265LL;
  for (i3 = 1; i3 < e3; i3++) {
    x1 = x0;
    for (i2 = 1; i2 < e2; i2++) {
      xx = x1;
      uniforms(d1, &xx, a, &z[i3][i2][1]);
      uniform(&x1, a1);
    }
    uniform(&x0, a2);
  }
  for (i = 0; i < TEN; i++) {
    ten[i][1] = 0.0;
    ten[i][0] = 1.0;
    j1[i][0] = j2[i][0] = j3[i][0] = 0;
    j1[i][1] = j2[i][1] = j3[i][1] = 0;
  }
  for (i3 = 1; i3 < n3 - 1; i3++) {
    for (i2 = 1; i2 < n2 - 1; i2++) {
      for (i1 = 1; i1 < n1 - 1; i1++) {
        if (z[i3][i2][i1] > ten[0][1]) {
          ten[0][1] = z[i3][i2][i1];
          j1[0][1] = i1;
          j2[0][1] = i2;
          j3[0][1] = i3;
          bubble(ten, j1, j2, j3, TEN, 1);
        }
        if (z[i3][i2][i1] < ten[0][0]) {
          ten[0][0] = z[i3][i2][i1];
          j1[0][0] = i1;
          j2[0][0] = i2;
          j3[0][0] = i3;
          bubble(ten, j1, j2, j3, TEN, 0);
        }
      }
    }
  }
  zero3(z, n1, n2, n3);
  for (i = TEN - 1; i >= 0; i--) {
    z[j3[i][0]][j2[i][0]][j1[i][0]] = -1.0;
  }
  for (i = TEN - 1; i >= 0; i--) {
    z[j3[i][1]][j2[i][1]][j1[i][1]] = 1.0;
  }
  comm3(z, n1, n2, n3);
}

static int verify(int nit, double rnm2, double rnmu) {
  static const double wanted_32[2] = {
      5.30770700573488e-05,
      1.12176687646962e-03,
  };
  static const double wanted_8[2] = {
      6.70612946506132e-03,
      3.73888722172491e-02,
  };
  double found[2];
  found[0] = rnm2;
  found[1] = rnmu;
  if (nx[lt] == 32 && nit == 4) return compare(2, found, wanted_32, 1.0e-8);
  if (nx[lt] == 8 && nit == 2) return compare(2, found, wanted_8, 1.0e-8);
  return 0;
}

int main(void) {
  double a[4], c[4], rnm2, rnmu;
  int it, nit, n1, n2, n3, verified;
  FILE *fp;

  if ((fp = fopen("mg.input", "r")) != NULL) {
    int result;
    printf(" reading mg.input\n");
    result = fscanf(fp, "%d", &lt);
    if (result != 1 || lt < 2 || lt > LT_DEFAULT) return 2;
    result += fscanf(fp, "%d%d%d", &nx[lt], &ny[lt], &nz[lt]);
    result += fscanf(fp, "%d", &nit);
    fclose(fp);
    if (result != 5) return 2;
  } else {
    lt = LT_DEFAULT;
    nit = NIT_DEFAULT;
    nx[lt] = NX_DEFAULT;
    ny[lt] = NX_DEFAULT;
    nz[lt] = NX_DEFAULT;
  }
  if (nx[lt] > 32 || ny[lt] > 32 || nz[lt] > 32) {
    printf(" the grid is larger than the arrays\n");
    return 2;
  }
  a[0] = -8.0 / 3.0;
  a[1] = 0.0;
  a[2] = 1.0 / 6.0;
  a[3] = 1.0 / 12.0;
  c[0] = -3.0 / 8.0;
  c[1] = 1.0 / 32.0;
  c[2] = -1.0 / 64.0;
  c[3] = 0.0;
  lb = 1;

  setup(&n1, &n2, &n3);
  zero3(u, n1, n2, n3);
  zran3(v, n1, n2, n3, nx[lt], ny[lt]);
  norm2u3(v, n1, n2, n3, &rnm2, &rnmu, nx[lt], ny[lt], nz[lt]);
  resid(u, v, r, n1, n2, n3, a);
  for (it = 1; it <= nit; it++) {
    if (it == 1 || it == nit || it % 5 == 0) {
      printf("  iteration %3d\n", it);
    }
    mg3p(u, v, r, a, c, n1, n2, n3);
    resid(u, v, r, n1, n2, n3, a);
  }
  norm2u3(r, n1, n2, n3, &rnm2, &rnmu, nx[lt], ny[lt], nz[lt]);
  verified = verify(nit, rnm2, rnmu);
  print_results("mg", nx[lt], ny[lt], nz[lt], nit, rnm2, verified);
  return verified ? 0 : 1;
}
