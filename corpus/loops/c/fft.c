/* fft: a heat equation in three dimensions, solved where it is diagonal:
   transforms along each direction, in log2 n levels. */
#include "common/common.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NX 64
#define NY 32
#define NZ 32
#define MAXDIM 64
#define NITER_DEFAULT 4
#define FFTBLOCK_DEFAULT 16
#define FFTBLOCKPAD_DEFAULT 18
#define PI 3.141592653589793238
#define ALPHA 1.0e-6

typedef struct {
  double real, imag;
} dcomplex;

int dims[3], fftblock, fftblockpad, niter;
dcomplex u[MAXDIM];
dcomplex u0[NZ][NY][NX], u1[NZ][NY][NX], sums[33];
double twiddle[NZ][NY][NX];

static dcomplex plus(dcomplex a, dcomplex b) {
  dcomplex c = {a.real + b.real, a.imag + b.imag};
  return c;
}

static dcomplex minus(dcomplex a, dcomplex b) {
  dcomplex c = {a.real - b.real, a.imag - b.imag};
  return c;
}

static dcomplex times(dcomplex a, dcomplex b) {
  dcomplex c = {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  return c;
}

/* How far each wave decays in one step. */
void index_map(void *owhere, int d1, int d2, int d3) {
  double(*decay)[d2][d1] = (double(*)[d2][d1])owhere;
  double ap = -4.0 * ALPHA * PI * PI;
  int i, j, k, ii, jj, kk;
  for (k = 0; k < d3; k++) {
    kk = (k + d3 / 2) % d3 - d3 / 2;
    for (j = 0; j < d2; j++) {
      jj = (j + d2 / 2) % d2 - d2 / 2;
      for (i = 0; i < d1; i++) {
        ii = (i + d1 / 2) % d1 - d1 / 2;
        decay[k][j][i] = exp(ap * (double)(ii * ii + jj * jj + kk * kk));
      }
    }
  }
}

/* Random numbers, plane by plane, each plane from a seed of its own. */
void initial_conditions(void *owhere, int d1, int d2, int d3) {
  dcomplex(*w)[d2][d1] = (dcomplex(*)[d2][d1])owhere;
  long long start = 314159265LL, x0, a = 1220703125LL, an;
  int j, k;
  an = power(a, 2 * d1 * d2);
  for (k = 0; k < d3; k++) {
    x0 = start;
    for (j = 0; j < d2; j++) {
      uniforms(2 * d1, &x0, a, (double *)&w[k][j][0]);
    }
    uniform(&start, an);
  }
}

void evolve(void *ow0, void *ow1, void *owhere, int d1, int d2, int d3) {
  dcomplex(*w0)[d2][d1] = (dcomplex(*)[d2][d1])ow0;
  dcomplex(*w1)[d2][d1] = (dcomplex(*)[d2][d1])ow1;
  double(*decay)[d2][d1] = (double(*)[d2][d1])owhere;
  int i, j, k;
  for (k = 0; k < d3; k++) {
    for (j = 0; j < d2; j++) {
      for (i = 0; i < d1; i++) {
        w0[k][j][i].real *= decay[k][j][i];
        w0[k][j][i].imag *= decay[k][j][i];
        w1[k][j][i] = w0[k][j][i];
      }
    }
  }
}

/* The smallest exponent of two that reaches n. */
int ilog2(int n) {
  int nn, lg;
  if (n == 1) return 0;
  lg = 1;
  nn = 2;
  while (nn < n) {
    nn = nn * 2;
    lg++;
  }
  return lg;
}

/* Roots of unity, a run of 1, 2, 4, ... of them for each level. */
void fft_init(int n) {
  int m, ku, i, j, ln;
  double t, ti;
  m = ilog2(n);
  u[0].real = (double)m;
  u[0].imag = 0.0;
  ku = 1;
  ln = 1;
  for (j = 1; j <= m; j++) {
    t = PI / ln;
    for (i = 0; i <= ln - 1; i++) {
      ti = i * t;
      u[i + ku].real = cos(ti);
      u[i + ku].imag = sin(ti);
    }
    ku = ku + ln;
    ln = 2 * ln;
  }
}

/* Level l: lk and li are powers of two that go against each other. */
static void fftz2(int is, int l, int m, int n, int nb, int nb1, const dcomplex roots[], void *ox, void *oy) {
  dcomplex(*x)[nb1] = (dcomplex(*)[nb1])ox;
  dcomplex(*y)[nb1] = (dcomplex(*)[nb1])oy;
  dcomplex r, x11, x21;
  int n1, li, lj, lk, ku, i, j, k, i11, i12, i21, i22;
  n1 = n / 2;
  lk = 1 << (l - 1);
  li = 1 << (m - l);
  lj = 2 * lk;
  ku = li;
  for (i = 0; i <= li - 1; i++) {
    i11 = i * lk;
    i12 = i11 + n1;
    i21 = i * lj;
    i22 = i21 + lk;
    r = roots[ku + i];
    if (is < 1) {
      r.imag = -r.imag;
    }
    for (k = 0; k <= lk - 1; k++) {
      for (j = 0; j < nb; j++) {
        x11 = x[i11 + k][j];
        x21 = x[i12 + k][j];
        y[i21 + k][j] = plus(x11, x21);
        y[i22 + k][j] = times(r, minus(x11, x21));
      }
    }
  }
}

/* A block of transforms of length n = 2^m, forth and back between x and y. */
static void cfftz(int is, int m, int n, void *ox, void *oy) {
  dcomplex(*x)[fftblockpad] = (dcomplex(*)[fftblockpad])ox;
  dcomplex(*y)[fftblockpad] = (dcomplex(*)[fftblockpad])oy;
  int i, j, l, mx = (int)u[0].real;
  if ((is != 1 && is != -1) || m < 1 || m > mx) {
    printf(" cfftz: wrong arguments %d %d %d\n", is, m, mx);
    exit(2);
  }
  for (l = 1; l <= m; l += 2) {
    fftz2(is, l, m, n, fftblock, fftblockpad, u, x, y);
    if (l == m) {
      for (j = 0; j < n; j++) {
        for (i = 0; i < fftblock; i++) {
          x[j][i] = y[j][i];
        }
      }
      return;
    }
    fftz2(is, l + 1, m, n, fftblock, fftblockpad, u, y, x);
  }
}

static void cffts1(int is, int d1, int d2, int d3, void *ox, dcomplex *scratch) {
  dcomplex(*x)[d2][d1] = (dcomplex(*)[d2][d1])ox;
  dcomplex(*y)[fftblockpad] = (dcomplex(*)[fftblockpad])scratch;
  int logd1 = ilog2(d1), i, j, k, jj;
  for (k = 0; k < d3; k++) {
    for (jj = 0; jj <= d2 - fftblock; jj += fftblock) {
      for (j = 0; j < fftblock; j++) {
        for (i = 0; i < d1; i++) {
          y[i][j] = x[k][j + jj][i];
        }
      }
      cfftz(is, logd1, d1, y, y + d1);
      for (j = 0; j < fftblock; j++) {
        for (i = 0; i < d1; i++) {
          x[k][j + jj][i] = y[i][j];
        }
      }
    }
  }
}

static void cffts2(int is, int d1, int d2, int d3, void *ox, dcomplex *scratch) {
  dcomplex(*x)[d2][d1] = (dcomplex(*)[d2][d1])ox;
  dcomplex(*y)[fftblockpad] = (dcomplex(*)[fftblockpad])scratch;
  int logd2 = ilog2(d2), i, j, k, ii;
  for (k = 0; k < d3; k++) {
    for (ii = 0; ii <= d1 - fftblock; ii += fftblock) {
      for (j = 0; j < d2; j++) {
        for (i = 0; i < fftblock; i++) {
          y[j][i] = x[k][j][i + ii];
        }
      }
      cfftz(is, logd2, d2, y, y + d2);
      for (j = 0; j < d2; j++) {
        for (i = 0; i < fftblock; i++) {
          x[k][j][i + ii] = y[j][i];
        }
      }
    }
  }
}

static void cffts3(int is, int d1, int d2, int d3, void *ox, dcomplex *scratch) {
  dcomplex(*x)[d2][d1] = (dcomplex(*)[d2][d1])ox;
  dcomplex(*y)[fftblockpad] = (dcomplex(*)[fftblockpad])scratch;
  int logd3 = ilog2(d3), i, j, k, ii;
  for (j = 0; j < d2; j++) {
    for (ii = 0; ii <= d1 - fftblock; ii += fftblock) {
      for (k = 0; k < d3; k++) {
        for (i = 0; i < fftblock; i++) {
          y[k][i] = x[k][j][i + ii];
        }
      }
      cfftz(is, logd3, d3, y, y + d3);
      for (k = 0; k < d3; k++) {
        for (i = 0; i < fftblock; i++) {
          x[k][j][i + ii] = y[k][i];
        }
      }
    }
  }
}

void fft(int dir, void *ox1, void *ox2) {
  static dcomplex scratch[FFTBLOCKPAD_DEFAULT * MAXDIM * 2];
  dcomplex(*x1)[NY][NX] = (dcomplex(*)[NY][NX])ox1;
  dcomplex(*x2)[NY][NX] = (dcomplex(*)[NY][NX])ox2;
  int i, j, k;
  if (dir == 1) {
    cffts1(1, dims[0], dims[1], dims[2], x1, scratch);
    cffts2(1, dims[0], dims[1], dims[2], x1, scratch);
    cffts3(1, dims[0], dims[1], dims[2], x1, scratch);
  } else {
    cffts3(-1, dims[0], dims[1], dims[2], x1, scratch);
    cffts2(-1, dims[0], dims[1], dims[2], x1, scratch);
    cffts1(-1, dims[0], dims[1], dims[2], x1, scratch);
  }
  if (dir == 1) {
    for (k = 0; k < dims[2]; k++) {
      for (j = 0; j < dims[1]; j++) {
        for (i = 0; i < dims[0]; i++) {
          x2[k][j][i] = x1[k][j][i];
        }
      }
    }
  }
}

/* A thousand elements, here and there. */
dcomplex checksum(void *owhere, int d1, int d2, int d3) {
  dcomplex(*w)[d2][d1] = (dcomplex(*)[d2][d1])owhere;
  dcomplex chk = {0.0, 0.0};
  int j, q, r, s;
  for (j = 1; j <= 1024; j++) {
    q = j % d1;
    r = 3 * j % d2;
    s = 5 * j % d3;
    chk = plus(chk, w[s][r][q]);
  }
  chk.real = chk.real / (double)(d1 * d2 * d3);
  chk.imag = chk.imag / (double)(d1 * d2 * d3);
  printf(" checksum of this step %22.12E%22.12E\n", chk.real, chk.imag);
  return chk;
}

int main(void) {
  static const double wanted_4[10] = {
      5.45775777434003e+02,
      5.34212720457241e+02,
      5.44822142386345e+02,
      5.34068640300511e+02,
      5.43901470670001e+02,
      5.33925936368013e+02,
      5.43012583538234e+02,
      5.33784545112604e+02,
      0.00000000000000,
      0.00000000000000,
  };
  static const double wanted_1[10] = {
      5.45775777434003e+02,
      5.34212720457241e+02,
      0.00000000000000,
      0.00000000000000,
      0.00000000000000,
      0.00000000000000,
      0.00000000000000,
      0.00000000000000,
      0.00000000000000,
      0.00000000000000,
  };
  double found[10], sum = 0.0;
  int iter, i, verified = 0;
  FILE *fp;

  niter = NITER_DEFAULT;
  if ((fp = fopen("inputfft.data", "r")) != NULL) {
    printf(" reading inputfft.data\n");
    if (fscanf(fp, "%d", &niter) != 1) return 2;
    fclose(fp);
  }
  if (niter < 1 || niter > 32) {
    printf(" from 1 to 32 iterations\n");
    return 2;
  }
  dims[0] = NX;
  dims[1] = NY;
  dims[2] = NZ;
  fftblock = FFTBLOCK_DEFAULT;
  fftblockpad = FFTBLOCKPAD_DEFAULT;
  index_map(twiddle, dims[0], dims[1], dims[2]);
  initial_conditions(u1, dims[0], dims[1], dims[2]);
  fft_init(MAXDIM);
  timer_clear(1);
  timer_start(1);
  fft(1, u1, u0);
  for (iter = 1; iter <= niter; iter++) {
    evolve(u0, u1, twiddle, dims[0], dims[1], dims[2]);
    fft(-1, u1, u1);
    sums[iter] = checksum(u1, dims[0], dims[1], dims[2]);
  }
  timer_stop(1);

  for (i = 0; i < 10; i++) {
    found[i] = 0.0;
  }
  for (i = 1; i <= (niter < 5 ? niter : 5); i++) {
    found[2 * i - 2] = sums[i].real;
    found[2 * i - 1] = sums[i].imag;
    sum = sum + found[2 * i - 2] + found[2 * i - 1];
  }
  if (niter == 4) verified = compare(10, found, wanted_4, 1.0e-8);
  if (niter == 1) verified = compare(10, found, wanted_1, 1.0e-8);
  print_results("fft", NX, NY, NZ, niter, sum, verified);
  return verified ? 0 : 1;
}
