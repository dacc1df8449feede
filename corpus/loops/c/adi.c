/* adi: five coupled equations on a structured grid, stepped implicitly, one
   direction after another, with 5 x 5 blocks.

   Sizes come from inputadi.data if it is there, else from adi.h, and reach
   every loop through a global array. */
#include "adi.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int grid_points[3];
int timeron;
double dt, nu, dssp, tx1, tx2, ty1, ty2, tz1, tz2, dnxm1, dnym1, dnzm1, ce[7][5];
double u[KMAX][JMAXP + 1][IMAXP + 1][5];
double rhs[KMAX][JMAXP + 1][IMAXP + 1][5];
double forcing[KMAX][JMAXP + 1][IMAXP + 1][5];
double fjac[PROBLEM_SIZE + 1][5][5], njac[PROBLEM_SIZE + 1][5][5], lhs[PROBLEM_SIZE + 1][3][5][5];
double ue[PROBLEM_SIZE + 1][5], buf[PROBLEM_SIZE + 1][5];

int main(void) {
  int i, niter, step, verified;
  double sum;
  FILE *fp;

  for (i = 1; i <= T_LAST; i++) {
    timer_clear(i);
  }
  timeron = 0;
  if ((fp = fopen("timer.flag", "r")) != NULL) {
    timeron = 1;
    fclose(fp);
  }
  if ((fp = fopen("inputadi.data", "r")) != NULL) {
    int result;
    printf(" reading inputadi.data\n");
    result = fscanf(fp, "%d", &niter);
    while (fgetc(fp) != '\n')
      ;
    result += fscanf(fp, "%lf", &dt);
    while (fgetc(fp) != '\n')
      ;
    result += fscanf(fp, "%d%d%d", &grid_points[0], &grid_points[1], &grid_points[2]);
    fclose(fp);
    if (result != 5) {
      printf(" inputadi.data lacks numbers\n");
      return 2;
    }
  } else {
    niter = NITER_DEFAULT;
    dt = DT_DEFAULT;
    grid_points[0] = PROBLEM_SIZE;
    grid_points[1] = PROBLEM_SIZE;
    grid_points[2] = PROBLEM_SIZE;
  }
  if (grid_points[0] > IMAX || grid_points[1] > JMAX || grid_points[2] > KMAX) {
    printf(" the grid is larger than the arrays\n");
    return 2;
  }

  set_constants();
  initialize();
  exact_rhs();
  timer_start(T_TOTAL);
  for (step = 1; step <= niter; step++) {
    if (step % 20 == 0 || step == 1) {
      printf(" time step %4d\n", step);
    }
    advance();
  }
  timer_stop(T_TOTAL);
  verify(niter, &sum, &verified);
  print_results("adi", grid_points[0], grid_points[1], grid_points[2], niter, sum, verified);
  if (timeron) {
    for (i = 1; i <= T_LAST; i++) {
      printf(" timer %2d%9.3f\n", i, timer_read(i));
    }
  }
  return verified ? 0 : 1;
}

void set_constants(void) {
  int m, k;
  for (k = 0; k < 7; k++) {
    for (m = 0; m < 5; m++) {
      ce[k][m] = 0.4 / (double)(m + k + 2);
    }
  }
  ce[0][0] = 2.0;
  ce[0][4] = 3.0;
  nu = 0.1;
  dssp = 0.02;
  dnxm1 = 1.0 / (double)(grid_points[0] - 1);
  dnym1 = 1.0 / (double)(grid_points[1] - 1);
  dnzm1 = 1.0 / (double)(grid_points[2] - 1);
  tx1 = 1.0 / (dnxm1 * dnxm1);
  tx2 = 1.0 / (2.0 * dnxm1);
  ty1 = 1.0 / (dnym1 * dnym1);
  ty2 = 1.0 / (2.0 * dnym1);
  tz1 = 1.0 / (dnzm1 * dnzm1);
  tz2 = 1.0 / (2.0 * dnzm1);
}

void exact_solution(double xi, double eta, double zeta, double dtemp[5]) {
  int m;
  for (m = 0; m < 5; m++) {
    dtemp[m] = ce[0][m] + xi * (ce[1][m] + xi * ce[4][m]) + eta * (ce[2][m] + eta * ce[5][m]) +
               zeta * (ce[3][m] + zeta * ce[6][m]);
  }
}

/* The faces are exact, the inside is blended from opposite faces. */
void initialize(void) {
  int i, j, k, m, ix, iy, iz;
  double xi, eta, zeta, pface[2][3][5], px, py, pz, temp[5];

  for (k = 0; k <= grid_points[2] - 1; k++) {
    for (j = 0; j <= grid_points[1] - 1; j++) {
      for (i = 0; i <= grid_points[0] - 1; i++) {
        for (m = 0; m < 5; m++) {
          u[k][j][i][m] = 1.0;
        }
      }
    }
  }
  for (k = 0; k <= grid_points[2] - 1; k++) {
    zeta = (double)k * dnzm1;
    for (j = 0; j <= grid_points[1] - 1; j++) {
      eta = (double)j * dnym1;
      for (i = 0; i <= grid_points[0] - 1; i++) {
        xi = (double)i * dnxm1;
        for (ix = 0; ix < 2; ix++) {
          exact_solution((double)ix, eta, zeta, pface[ix][0]);
        }
        for (iy = 0; iy < 2; iy++) {
          exact_solution(xi, (double)iy, zeta, pface[iy][1]);
        }
        for (iz = 0; iz < 2; iz++) {
          exact_solution(xi, eta, (double)iz, pface[iz][2]);
        }
        for (m = 0; m < 5; m++) {
          px = xi * pface[1][0][m] + (1.0 - xi) * pface[0][0][m];
          py = eta * pface[1][1][m] + (1.0 - eta) * pface[0][1][m];
          pz = zeta * pface[1][2][m] + (1.0 - zeta) * pface[0][2][m];
          u[k][j][i][m] = px + py + pz - px * py - px * pz - py * pz + px * py * pz;
        }
      }
    }
  }

  for (k = 0; k <= grid_points[2] - 1; k += grid_points[2] - 1) {
    zeta = (double)k * dnzm1;
    for (j = 0; j <= grid_points[1] - 1; j++) {
      eta = (double)j * dnym1;
      for (i = 0; i <= grid_points[0] - 1; i++) {
        xi = (double)i * dnxm1;
        exact_solution(xi, eta, zeta, temp);
        for (m = 0; m < 5; m++) {
          u[k][j][i][m] = temp[m];
        }
      }
    }
  }
}

/* What the differences of the exact solution leave over. */
void exact_rhs(void) {
  int i, j, k, m;
  double xi, eta, zeta, dtemp[5];

  for (k = 0; k <= grid_points[2] - 1; k++) {
    for (j = 0; j <= grid_points[1] - 1; j++) {
      for (i = 0; i <= grid_points[0] - 1; i++) {
        for (m = 0; m < 5; m++) {
          forcing[k][j][i][m] = 0.0;
        }
      }
    }
  }
  for (k = 1; k <= grid_points[2] - 2; k++) {
    zeta = (double)k * dnzm1;
    for (j = 1; j <= grid_points[1] - 2; j++) {
      eta = (double)j * dnym1;
      for (i = 0; i <= grid_points[0] - 1; i++) {
        xi = (double)i * dnxm1;
        exact_solution(xi, eta, zeta, dtemp);
        for (m = 0; m < 5; m++) {
          ue[i][m] = dtemp[m];
          buf[i][m] = dtemp[m] / dtemp[0];
        }
      }
      for (i = 1; i <= grid_points[0] - 2; i++) {
        for (m = 0; m < 5; m++) {
          forcing[k][j][i][m] = forcing[k][j][i][m] + tx2 * buf[i][1] * (ue[i + 1][m] - ue[i - 1][m]) -
                                nu * tx1 * (ue[i + 1][m] - 2.0 * ue[i][m] + ue[i - 1][m]);
        }
      }
      /* Fourth-order dissipation: two points at each end differ. */
      for (m = 0; m < 5; m++) {
        i = 1;
        forcing[k][j][i][m] = forcing[k][j][i][m] - dssp * (5.0 * ue[i][m] - 4.0 * ue[i + 1][m] + ue[i + 2][m]);
        i = 2;
        forcing[k][j][i][m] = forcing[k][j][i][m] -
                              dssp * (-4.0 * ue[i - 1][m] + 6.0 * ue[i][m] - 4.0 * ue[i + 1][m] + ue[i + 2][m]);
      }
      for (i = 3; i <= grid_points[0] - 4; i++) {
        for (m = 0; m < 5; m++) {
          forcing[k][j][i][m] =
              forcing[k][j][i][m] -
              dssp * (ue[i - 2][m] - 4.0 * ue[i - 1][m] + 6.0 * ue[i][m] - 4.0 * ue[i + 1][m] + ue[i + 2][m]);
        }
      }
      for (m = 0; m < 5; m++) {
        i = grid_points[0] - 3;
        forcing[k][j][i][m] = forcing[k][j][i][m] -
                              dssp * (ue[i - 2][m] - 4.0 * ue[i - 1][m] + 6.0 * ue[i][m] - 4.0 * ue[i + 1][m]);
        i = grid_points[0] - 2;
        forcing[k][j][i][m] = forcing[k][j][i][m] - dssp * (ue[i - 2][m] - 4.0 * ue[i - 1][m] + 5.0 * ue[i][m]);
      }
    }
  }
}

void advance(void) {
  compute_rhs();
  x_solve();
  y_solve();
  z_solve();
  add();
}

void add(void) {
  int i, j, k, m;
  for (k = 1; k <= grid_points[2] - 2; k++) {
    for (j = 1; j <= grid_points[1] - 2; j++) {
      for (i = 1; i <= grid_points[0] - 2; i++) {
        for (m = 0; m < 5; m++) {
          u[k][j][i][m] = u[k][j][i][m] + rhs[k][j][i][m];
        }
      }
    }
  }
}

void compute_rhs(void) {
  int i, j, k, m;
  double vx, vy, vz, rho;

  if (timeron) timer_start(T_RHS);
  for (k = 0; k <= grid_points[2] - 1; k++) {
    for (j = 0; j <= grid_points[1] - 1; j++) {
      for (i = 0; i <= grid_points[0] - 1; i++) {
        for (m = 0; m < 5; m++) {
          rhs[k][j][i][m] = forcing[k][j][i][m];
        }
      }
    }
  }
  for (k = 1; k <= grid_points[2] - 2; k++) {
    for (j = 1; j <= grid_points[1] - 2; j++) {
      for (i = 1; i <= grid_points[0] - 2; i++) {
        rho = 1.0 / u[k][j][i][0];
        vx = u[k][j][i][1] * rho;
        vy = u[k][j][i][2] * rho;
        vz = u[k][j][i][3] * rho;
        for (m = 0; m < 5; m++) {
          rhs[k][j][i][m] = rhs[k][j][i][m] - tx2 * vx * (u[k][j][i + 1][m] - u[k][j][i - 1][m]) -
                            ty2 * vy * (u[k][j + 1][i][m] - u[k][j - 1][i][m]) -
                            tz2 * vz * (u[k + 1][j][i][m] - u[k - 1][j][i][m]) +
                            nu * tx1 * (u[k][j][i + 1][m] - 2.0 * u[k][j][i][m] + u[k][j][i - 1][m]) +
                            nu * ty1 * (u[k][j + 1][i][m] - 2.0 * u[k][j][i][m] + u[k][j - 1][i][m]) +
                            nu * tz1 * (u[k + 1][j][i][m] - 2.0 * u[k][j][i][m] + u[k - 1][j][i][m]);
        }
      }
    }
  }
  /* Dissipation along j, away from the faces. */
  for (k = 1; k <= grid_points[2] - 2; k++) {
    for (j = 3; j <= grid_points[1] - 4; j++) {
      for (i = 1; i <= grid_points[0] - 2; i++) {
        for (m = 0; m < 5; m++) {
          rhs[k][j][i][m] = rhs[k][j][i][m] - dssp * (u[k][j - 2][i][m] - 4.0 * u[k][j - 1][i][m] +
                                                      6.0 * u[k][j][i][m] - 4.0 * u[k][j + 1][i][m] + u[k][j + 2][i][m]);
        }
      }
    }
  }
  for (k = 1; k <= grid_points[2] - 2; k++) {
    for (j = 1; j <= grid_points[1] - 2; j++) {
      for (i = 1; i <= grid_points[0] - 2; i++) {
        for (m = 0; m < 5; m++) {
          rhs[k][j][i][m] = rhs[k][j][i][m] * dt;
        }
      }
    }
  }
  if (timeron) timer_stop(T_RHS);
}

/* The blocks of one point: convection by velocity v, and diffusion.
   Blocks lie column by column, as in the Fortran version. */
static void jacobians(const double p[5], double v, double f[5][5], double g[5][5]) {
  double rho = 1.0 / p[0];
  int m, n;
  for (n = 0; n < 5; n++) {
    for (m = 0; m < 5; m++) {
      f[n][m] = 0.01 * p[m] * rho / (double)(m + n + 2);
      g[n][m] = 0.0;
    }
  }
  for (m = 0; m < 5; m++) {
    f[m][m] = f[m][m] + v * rho;
    g[m][m] = nu * (1.0 + 0.05 * p[m] * rho);
  }
}

/* The ends of a line are fixed. */
static void lhsinit(int n) {
  int i, m, l;
  for (i = 0; i <= n; i += n) {
    for (l = 0; l < 5; l++) {
      for (m = 0; m < 5; m++) {
        lhs[i][AA][l][m] = 0.0;
        lhs[i][BB][l][m] = 0.0;
        lhs[i][CC][l][m] = 0.0;
      }
      lhs[i][BB][l][l] = 1.0;
    }
  }
}

/* Rows of the block tridiagonal system along one line of n+1 points. */
static void lhs_line(int n, double t1, double t2) {
  int i, l, m;
  double tmp1, tmp2;
  lhsinit(n);
  for (i = 1; i <= n - 1; i++) {
    tmp1 = dt * t1;
    tmp2 = dt * t2;
    for (l = 0; l < 5; l++) {
      for (m = 0; m < 5; m++) {
        lhs[i][AA][l][m] = -tmp2 * fjac[i - 1][l][m] - tmp1 * njac[i - 1][l][m];
        lhs[i][BB][l][m] = tmp1 * 2.0 * njac[i][l][m];
        lhs[i][CC][l][m] = tmp2 * fjac[i + 1][l][m] - tmp1 * njac[i + 1][l][m];
      }
      lhs[i][BB][l][l] = lhs[i][BB][l][l] + 1.0;
    }
  }
}

/* b := b - A a */
static void matvec_sub(double ablock[5][5], const double avec[5], double bvec[5]) {
  int m, n;
  for (n = 0; n < 5; n++) {
    for (m = 0; m < 5; m++) {
      bvec[m] = bvec[m] - ablock[n][m] * avec[n];
    }
  }
}

/* C := C - A B */
static void matmul_sub(double ablock[5][5], double bblock[5][5], double cblock[5][5]) {
  int l, m, n;
  for (l = 0; l < 5; l++) {
    for (n = 0; n < 5; n++) {
      for (m = 0; m < 5; m++) {
        cblock[l][m] = cblock[l][m] - ablock[n][m] * bblock[l][n];
      }
    }
  }
}

/* Eliminates a block: c and r are multiplied by its inverse. */
static void binvcrhs(double block[5][5], double c[5][5], double r[5]) {
  double pivot, coeff;
  int p, m, n;
  for (p = 0; p < 5; p++) {
    pivot = 1.0 / block[p][p];
    for (n = p + 1; n < 5; n++) {
      block[n][p] = block[n][p] * pivot;
    }
    for (n = 0; n < 5; n++) {
      c[n][p] = c[n][p] * pivot;
    }
    r[p] = r[p] * pivot;
    for (m = 0; m < 5; m++) {
      if (m != p) {
        coeff = block[p][m];
        for (n = p + 1; n < 5; n++) {
          block[n][m] = block[n][m] - coeff * block[n][p];
        }
        for (n = 0; n < 5; n++) {
          c[n][m] = c[n][m] - coeff * c[n][p];
        }
        r[m] = r[m] - coeff * r[p];
      }
    }
  }
}

void x_solve(void) {
  int i, j, k, m, n, isize;
  if (timeron) timer_start(T_XSOLVE);
  isize = grid_points[0] - 1;
  for (k = 1; k <= grid_points[2] - 2; k++) {
    for (j = 1; j <= grid_points[1] - 2; j++) {
      for (i = 0; i <= isize; i++) {
        jacobians(u[k][j][i], u[k][j][i][1], fjac[i], njac[i]);
      }
      lhs_line(isize, tx1, tx2);
      binvcrhs(lhs[0][BB], lhs[0][CC], rhs[k][j][0]);
      for (i = 1; i <= isize - 1; i++) {
        matvec_sub(lhs[i][AA], rhs[k][j][i - 1], rhs[k][j][i]);
        matmul_sub(lhs[i][AA], lhs[i - 1][CC], lhs[i][BB]);
        binvcrhs(lhs[i][BB], lhs[i][CC], rhs[k][j][i]);
      }
      matvec_sub(lhs[isize][AA], rhs[k][j][isize - 1], rhs[k][j][isize]);
      for (i = isize - 1; i >= 0; i--) {
        for (m = 0; m < 5; m++) {
          for (n = 0; n < 5; n++) {
            rhs[k][j][i][m] = rhs[k][j][i][m] - lhs[i][CC][n][m] * rhs[k][j][i + 1][n];
          }
        }
      }
    }
  }
  if (timeron) timer_stop(T_XSOLVE);
}

void y_solve(void) {
  int i, j, k, m, n, jsize;
  if (timeron) timer_start(T_YSOLVE);
  jsize = grid_points[1] - 1;
  for (k = 1; k <= grid_points[2] - 2; k++) {
    for (i = 1; i <= grid_points[0] - 2; i++) {
      for (j = 0; j <= jsize; j++) {
        jacobians(u[k][j][i], u[k][j][i][2], fjac[j], njac[j]);
      }
      lhs_line(jsize, ty1, ty2);
      binvcrhs(lhs[0][BB], lhs[0][CC], rhs[k][0][i]);
      for (j = 1; j <= jsize - 1; j++) {
        matvec_sub(lhs[j][AA], rhs[k][j - 1][i], rhs[k][j][i]);
        matmul_sub(lhs[j][AA], lhs[j - 1][CC], lhs[j][BB]);
        binvcrhs(lhs[j][BB], lhs[j][CC], rhs[k][j][i]);
      }
      matvec_sub(lhs[jsize][AA], rhs[k][jsize - 1][i], rhs[k][jsize][i]);
      for (j = jsize - 1; j >= 0; j--) {
        for (m = 0; m < 5; m++) {
          for (n = 0; n < 5; n++) {
            rhs[k][j][i][m] = rhs[k][j][i][m] - lhs[j][CC][n][m] * rhs[k][j + 1][i][n];
          }
        }
      }
    }
  }
  if (timeron) timer_stop(T_YSOLVE);
}

void z_solve(void) {
  int i, j, k, m, n, ksize;
  if (timeron) timer_start(T_ZSOLVE);
  ksize = grid_points[2] - 1;
  for (j = 1; j <= grid_points[1] - 2; j++) {
    for (i = 1; i <= grid_points[0] - 2; i++) {
      for (k = 0; k <= ksize; k++) {
        jacobians(u[k][j][i], u[k][j][i][3], fjac[k], njac[k]);
      }
      lhs_line(ksize, tz1, tz2);
      binvcrhs(lhs[0][BB], lhs[0][CC], rhs[0][j][i]);
      for (k = 1; k <= ksize - 1; k++) {
        matvec_sub(lhs[k][AA], rhs[k - 1][j][i], rhs[k][j][i]);
        matmul_sub(lhs[k][AA], lhs[k - 1][CC], lhs[k][BB]);
        binvcrhs(lhs[k][BB], lhs[k][CC], rhs[k][j][i]);
      }
      matvec_sub(lhs[ksize][AA], rhs[ksize - 1][j][i], rhs[ksize][j][i]);
      for (k = ksize - 1; k >= 0; k--) {
        for (m = 0; m < 5; m++) {
          for (n = 0; n < 5; n++) {
            rhs[k][j][i][m] = rhs[k][j][i][m] - lhs[k][CC][n][m] * rhs[k + 1][j][i][n];
          }
        }
      }
    }
  }
  if (timeron) timer_stop(T_ZSOLVE);
}

static void error_norm(double rms[5]) {
  int i, j, k, m, d;
  double xi, eta, zeta, u_exact[5], apart;
  for (m = 0; m < 5; m++) {
    rms[m] = 0.0;
  }
  for (k = 0; k <= grid_points[2] - 1; k++) {
    zeta = (double)k * dnzm1;
    for (j = 0; j <= grid_points[1] - 1; j++) {
      eta = (double)j * dnym1;
      for (i = 0; i <= grid_points[0] - 1; i++) {
        xi = (double)i * dnxm1;
        exact_solution(xi, eta, zeta, u_exact);
        for (m = 0; m < 5; m++) {
          apart = u[k][j][i][m] - u_exact[m];
          rms[m] = rms[m] + apart * apart;
        }
      }
    }
  }
  for (m = 0; m < 5; m++) {
    for (d = 0; d < 3; d++) {
      rms[m] = rms[m] / (double)(grid_points[d] - 2);
    }
    rms[m] = sqrt(rms[m]);
  }
}

static void rhs_norm(double rms[5]) {
  int i, j, k, d, m;
  double more;
  for (m = 0; m < 5; m++) {
    rms[m] = 0.0;
  }
  for (k = 1; k <= grid_points[2] - 2; k++) {
    for (j = 1; j <= grid_points[1] - 2; j++) {
      for (i = 1; i <= grid_points[0] - 2; i++) {
        for (m = 0; m < 5; m++) {
          more = rhs[k][j][i][m];
          rms[m] = rms[m] + more * more;
        }
      }
    }
  }
  for (m = 0; m < 5; m++) {
    for (d = 0; d < 3; d++) {
      rms[m] = rms[m] / (double)(grid_points[d] - 2);
    }
    rms[m] = sqrt(rms[m]);
  }
}

void verify(int niter, double *sum, int *verified) {
  static const double wanted_64[10] = {
      7.24074479410515e-01,
      3.71270069227665e-01,
      3.39959244462695e-01,
      3.10176365684863e-01,
      7.57586144359512,
      2.44578983404750e+01,
      1.16224792932775e+01,
      1.06881914795834e+01,
      9.78653905905159,
      2.52123476964539e+02,
  };
  static const double wanted_12[10] = {
      8.59751320498657e-01,
      4.33625370434669e-01,
      3.97491310105484e-01,
      3.62950186803083e-01,
      8.87585191514178,
      3.63677416322119,
      1.81508836272317,
      1.66250112921513,
      1.51787657908748,
      3.68055034542828e+01,
  };
  const double *wanted = NULL;
  double found[10];
  int m;

  error_norm(found);
  compute_rhs();
  rhs_norm(found + 5);
  for (m = 5; m < 10; m++) {
    found[m] = found[m] / dt;
  }
  *sum = 0.0;
  for (m = 0; m < 10; m++) {
    *sum = *sum + found[m];
  }
  if (grid_points[0] == 64 && grid_points[1] == 64 && grid_points[2] == 64 && niter == 2) {
    wanted = wanted_64;
  } else if (grid_points[0] == 12 && grid_points[1] == 12 && grid_points[2] == 12 && niter == 4) {
    wanted = wanted_12;
  }
  if (wanted == NULL) {
    *verified = 0;
    return;
  }
  *verified = compare(10, found, wanted, 1.0e-8);
}
