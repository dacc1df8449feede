/* ssor: the same kind of flow, relaxed by symmetric successive
   over-relaxation: a sweep down the planes, a sweep up, until the residual is
   small or itmax is reached.

   Loops run from ist to iend, which are worked out from what inputssor.data
   says, if it is there. */
#include "common/common.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ISIZ1 64
#define ISIZ2 64
#define ISIZ3 64
#define ITMAX_DEFAULT 3
#define INORM_DEFAULT 2
#define DT_DEFAULT 0.5
#define OMEGA_DEFAULT 1.2

typedef double plane_of_blocks[ISIZ2][ISIZ1][5][5];

int nx, ny, nz, nx0, ny0, nz0, ist, iend, jst, jend, ii1, ii2, ji1, ji2, ki1, ki2;
double dxi, deta, dzeta, tx1, ty1, tz1;
double u[ISIZ3][ISIZ2 / 2 * 2 + 1][ISIZ1 / 2 * 2 + 1][5];
double rsd[ISIZ3][ISIZ2 / 2 * 2 + 1][ISIZ1 / 2 * 2 + 1][5];
double frct[ISIZ3][ISIZ2 / 2 * 2 + 1][ISIZ1 / 2 * 2 + 1][5];
int ipr, inorm, itmax;
double dt, omega, tolrsd[5], rsdnm[5], frc;
plane_of_blocks a, b, c, d;

static void skip_line(FILE *fp) {
  int letter;
  do {
    letter = fgetc(fp);
  } while (letter != '\n' && letter != EOF);
}

void read_input(void) {
  FILE *fp;
  int m, read = 0;
  if ((fp = fopen("inputssor.data", "r")) != NULL) {
    printf(" reading inputssor.data\n");
    skip_line(fp);
    read += fscanf(fp, "%d%d", &ipr, &inorm);
    skip_line(fp);
    skip_line(fp);
    read += fscanf(fp, "%d", &itmax);
    skip_line(fp);
    skip_line(fp);
    read += fscanf(fp, "%lf", &dt);
    skip_line(fp);
    skip_line(fp);
    read += fscanf(fp, "%lf", &omega);
    skip_line(fp);
    skip_line(fp);
    for (m = 0; m < 5; m++) {
      read += fscanf(fp, "%lf", &tolrsd[m]);
    }
    skip_line(fp);
    skip_line(fp);
    read += fscanf(fp, "%d%d%d", &nx0, &ny0, &nz0);
    fclose(fp);
    if (read != 13) {
      printf(" inputssor.data lacks numbers\n");
      exit(2);
    }
  } else {
    ipr = 1;
    inorm = INORM_DEFAULT;
    itmax = ITMAX_DEFAULT;
    dt = DT_DEFAULT;
    omega = OMEGA_DEFAULT;
    for (m = 0; m < 5; m++) {
      tolrsd[m] = 1.0e-8;
    }
    nx0 = ISIZ1;
    ny0 = ISIZ2;
    nz0 = ISIZ3;
  }
  if (nx0 < 4 || ny0 < 4 || nz0 < 4) {
    printf(" the grid is too small\n");
    exit(2);
  }
  if (nx0 > ISIZ1 || ny0 > ISIZ2 || nz0 > ISIZ3) {
    printf(" the grid is larger than the arrays\n");
    exit(2);
  }
}

void domain(void) {
  nx = nx0;
  ny = ny0;
  nz = nz0;
  ist = 1;
  iend = nx - 1;
  jst = 1;
  jend = ny - 1;
  ii1 = 1;
  ii2 = nx0 - 1;
  ji1 = 1;
  ji2 = ny0 - 2;
  ki1 = 2;
  ki2 = nz0 - 1;
  dxi = 1.0 / (double)(nx0 - 1);
  deta = 1.0 / (double)(ny0 - 1);
  dzeta = 1.0 / (double)(nz0 - 1);
  tx1 = 0.5 / (dxi * dxi);
  ty1 = 0.5 / (deta * deta);
  tz1 = 0.5 / (dzeta * dzeta);
}

void setiv(void) {
  int i, j, k, m;
  double xi, eta, zeta;
  for (k = 0; k < nz; k++) {
    zeta = (double)k * dzeta;
    for (j = 0; j < ny; j++) {
      eta = (double)j * deta;
      for (i = 0; i < nx; i++) {
        xi = (double)i * dxi;
        for (m = 0; m < 5; m++) {
          u[k][j][i][m] = 1.0 + 0.1 * (double)(m + 1) * xi * (1.0 - eta) + 0.2 * zeta;
        }
      }
    }
  }
}

void erhs(void) {
  int i, j, k, m;
  double xi, eta, zeta;
  for (k = 0; k < nz; k++) {
    for (j = 0; j < ny; j++) {
      for (i = 0; i < nx; i++) {
        for (m = 0; m < 5; m++) {
          frct[k][j][i][m] = 0.0;
        }
      }
    }
  }
  for (k = 1; k < nz - 1; k++) {
    zeta = (double)k * dzeta;
    for (j = jst; j < jend; j++) {
      eta = (double)j * deta;
      for (i = ist; i < iend; i++) {
        xi = (double)i * dxi;
        for (m = 0; m < 5; m++) {
          frct[k][j][i][m] = 0.3 * (double)(5 - m) * xi * eta * zeta;
        }
      }
    }
  }
}

void rhs(void) {
  int i, j, k, m;
  for (k = 0; k < nz; k++) {
    for (j = 0; j < ny; j++) {
      for (i = 0; i < nx; i++) {
        for (m = 0; m < 5; m++) {
          rsd[k][j][i][m] = -frct[k][j][i][m];
        }
      }
    }
  }
  for (k = 1; k < nz - 1; k++) {
    for (j = jst; j < jend; j++) {
      for (i = ist; i < iend; i++) {
        for (m = 0; m < 5; m++) {
          rsd[k][j][i][m] = rsd[k][j][i][m] - tx1 * (u[k][j][i + 1][m] - 2.0 * u[k][j][i][m] + u[k][j][i - 1][m]) -
                            ty1 * (u[k][j + 1][i][m] - 2.0 * u[k][j][i][m] + u[k][j - 1][i][m]) -
                            tz1 * (u[k + 1][j][i][m] - 2.0 * u[k][j][i][m] + u[k - 1][j][i][m]) +
                            0.1 * u[k][j][i][m] * u[k][j][i][0];
        }
      }
    }
  }
}

static void blocks_of(int i, int j, int k, double ta, double tb, double tc) {
  double q = 0.1 / u[k][j][i][0];
  int m, n;
  for (n = 0; n < 5; n++) {
    for (m = 0; m < 5; m++) {
      d[j][i][n][m] = 0.05 * q * u[k][j][i][m];
      a[j][i][n][m] = 0.0;
      b[j][i][n][m] = 0.0;
      c[j][i][n][m] = 0.0;
    }
    d[j][i][n][n] = 1.0 / dt + 2.0 * (tx1 + ty1 + tz1) + q;
    a[j][i][n][n] = -ta;
    b[j][i][n][n] = -tb;
    c[j][i][n][n] = -tc;
  }
}

/* The lower blocks of plane k. */
void jacld(int k) {
  int i, j;
  for (j = jst; j < jend; j++) {
    for (i = ist; i < iend; i++) {
      blocks_of(i, j, k, tz1, ty1, tx1);
    }
  }
}

/* The upper blocks of plane k, from the far corner. */
void jacu(int k) {
  int i, j;
  for (j = jend - 1; j >= jst; j--) {
    for (i = iend - 1; i >= ist; i--) {
      blocks_of(i, j, k, tx1, ty1, tz1);
    }
  }
}

/* Gauss without pivots, in place: triangular loops to 5. */
static void solve_block(double t[5][5], double v[5]) {
  double f;
  int p, m, n;
  for (p = 0; p < 4; p++) {
    for (m = p + 1; m < 5; m++) {
      f = t[p][m] / t[p][p];
      for (n = p + 1; n < 5; n++) {
        t[n][m] = t[n][m] - f * t[n][p];
      }
      v[m] = v[m] - f * v[p];
    }
  }
  for (p = 4; p >= 0; p--) {
    for (n = p + 1; n < 5; n++) {
      v[p] = v[p] - t[n][p] * v[n];
    }
    v[p] = v[p] / t[p][p];
  }
}

/* Forward substitution through plane k; the array's extents are arguments. */
void blts(int ldmx, int ldmy, int ldmz, int k, double v[ldmz][ldmy / 2 * 2 + 1][ldmx / 2 * 2 + 1][5]) {
  int i, j, m, n;
  double tv[5], tmat[5][5];
  for (j = jst; j < jend; j++) {
    for (i = ist; i < iend; i++) {
      for (m = 0; m < 5; m++) {
        for (n = 0; n < 5; n++) {
          v[k][j][i][m] = v[k][j][i][m] - omega * a[j][i][n][m] * v[k - 1][j][i][n];
        }
      }
    }
  }
  for (j = jst; j < jend; j++) {
    for (i = ist; i < iend; i++) {
      for (m = 0; m < 5; m++) {
        tv[m] = v[k][j][i][m];
        for (n = 0; n < 5; n++) {
          tv[m] = tv[m] - omega * (b[j][i][n][m] * v[k][j - 1][i][n] + c[j][i][n][m] * v[k][j][i - 1][n]);
          tmat[n][m] = d[j][i][n][m];
        }
      }
      solve_block(tmat, tv);
      for (m = 0; m < 5; m++) {
        v[k][j][i][m] = tv[m];
      }
    }
  }
}

void buts(int ldmx, int ldmy, int ldmz, int k, double v[ldmz][ldmy / 2 * 2 + 1][ldmx / 2 * 2 + 1][5]) {
  int i, j, m, n;
  double tv[5], tmat[5][5];
  for (j = jend - 1; j >= jst; j--) {
    for (i = iend - 1; i >= ist; i--) {
      for (m = 0; m < 5; m++) {
        tv[m] = 0.0;
        for (n = 0; n < 5; n++) {
          tv[m] = tv[m] + omega * (c[j][i][n][m] * v[k + 1][j][i][n] + b[j][i][n][m] * v[k][j + 1][i][n] +
                                   a[j][i][n][m] * v[k][j][i + 1][n]);
          tmat[n][m] = d[j][i][n][m];
        }
      }
      solve_block(tmat, tv);
      for (m = 0; m < 5; m++) {
        v[k][j][i][m] = v[k][j][i][m] - tv[m];
      }
    }
  }
}

void l2norm(int ldx, int ldy, int nx0, int ny0, int nz0, int ist, int iend, int jst, int jend,
            double v[][ldy / 2 * 2 + 1][ldx / 2 * 2 + 1][5], double sum[5]) {
  int i, j, k, m;
  for (m = 0; m < 5; m++) {
    sum[m] = 0.0;
  }
  for (k = 1; k < nz0 - 1; k++) {
    for (j = jst; j < jend; j++) {
      for (i = ist; i < iend; i++) {
        for (m = 0; m < 5; m++) {
          sum[m] = sum[m] + v[k][j][i][m] * v[k][j][i][m];
        }
      }
    }
  }
  for (m = 0; m < 5; m++) {
    sum[m] = sqrt(sum[m] / ((double)(nx0 - 2) * (double)(ny0 - 2) * (double)(nz0 - 2)));
  }
}

int ssor(int niter) {
  int i, j, k, m, istep, steps = niter;
  double tmp = 1.0 / (omega * (2.0 - omega));
  rhs();
  l2norm(ISIZ1, ISIZ2, nx0, ny0, nz0, ist, iend, jst, jend, rsd, rsdnm);
  timer_clear(1);
  timer_start(1);
  for (istep = 1; istep <= niter; istep++) {
    for (k = 1; k < nz - 1; k++) {
      for (j = jst; j < jend; j++) {
        for (i = ist; i < iend; i++) {
          for (m = 0; m < 5; m++) {
            rsd[k][j][i][m] = rsd[k][j][i][m] / dt;
          }
        }
      }
    }
    for (k = 1; k < nz - 1; k++) {
      jacld(k);
      blts(ISIZ1, ISIZ2, ISIZ3, k, rsd);
    }
    for (k = nz - 2; k > 0; k--) {
      jacu(k);
      buts(ISIZ1, ISIZ2, ISIZ3, k, rsd);
    }
    for (k = 1; k < nz - 1; k++) {
      for (j = jst; j < jend; j++) {
        for (i = ist; i < iend; i++) {
          for (m = 0; m < 5; m++) {
            u[k][j][i][m] = u[k][j][i][m] - tmp * rsd[k][j][i][m] * dt;
          }
        }
      }
    }
    rhs();
    if (istep % inorm == 0 || istep == niter) {
      l2norm(ISIZ1, ISIZ2, nx0, ny0, nz0, ist, iend, jst, jend, rsd, rsdnm);
    }
    if (rsdnm[0] < tolrsd[0] && rsdnm[1] < tolrsd[1] && rsdnm[2] < tolrsd[2] && rsdnm[3] < tolrsd[3] &&
        rsdnm[4] < tolrsd[4]) {
      printf(" converged after %4d steps\n", istep);
      steps = istep;
      break;
    }
  }
  timer_stop(1);
  return steps;
}

/* A surface integral over two faces. */
void pintgr(void) {
  static double phi1[ISIZ3 + 2][ISIZ2 + 2], phi2[ISIZ3 + 2][ISIZ2 + 2];
  int i, j, k;
  for (i = 0; i <= ISIZ2 + 1; i++) {
    for (k = 0; k <= ISIZ3 + 1; k++) {
      phi1[k][i] = 0.0;
      phi2[k][i] = 0.0;
    }
  }
  for (j = ji1; j < ji2; j++) {
    for (i = ii1; i < ii2; i++) {
      phi1[j][i] = 0.4 * u[ki1][j][i][4];
      phi2[j][i] = 0.4 * u[ki2 - 1][j][i][4];
    }
  }
  frc = 0.0;
  for (j = ji1; j < ji2 - 1; j++) {
    for (i = ii1; i < ii2 - 1; i++) {
      frc = frc + (phi1[j][i] + phi1[j][i + 1] + phi1[j + 1][i] + phi1[j + 1][i + 1] + phi2[j][i] + phi2[j][i + 1] +
                   phi2[j + 1][i] + phi2[j + 1][i + 1]);
    }
  }
  frc = 0.25 * frc * dxi * deta;
}

int verify(int steps, double *sum) {
  static const double wanted_64[6] = {
      1.75505137812125e-01,
      1.34229052756289e-01,
      1.00712940013276e-01,
      8.47291352789945e-02,
      9.55260632536895e-02,
      9.06262920297912e-01,
  };
  static const double wanted_12[6] = {
      2.03851681264165e-06,
      5.53575063566742e-07,
      9.31339457589262e-07,
      2.41621956565727e-06,
      3.90106901596794e-06,
      5.90839581918782e-01,
  };
  double found[6];
  int m;
  *sum = 0.0;
  for (m = 0; m < 5; m++) {
    found[m] = rsdnm[m];
    *sum = *sum + found[m];
  }
  found[5] = frc;
  *sum = *sum + frc;
  if (nx0 == 64 && steps == 3) return compare(6, found, wanted_64, 1.0e-6);
  if (nx0 == 12 && itmax == 60) return compare(6, found, wanted_12, 1.0e-6);
  return 0;
}

int main(void) {
  double sum;
  int steps, verified;
  read_input();
  domain();
  setiv();
  erhs();
  steps = ssor(itmax);
  pintgr();
  verified = verify(steps, &sum);
  print_results("ssor", nx0, ny0, nz0, steps, sum, verified);
  return verified ? 0 : 1;
}
