/* The size of the problem, and what all routines of adi share. */
#include "common/common.h"

#define PROBLEM_SIZE 64
#define NITER_DEFAULT 2
#define DT_DEFAULT 0.0008

#define IMAX PROBLEM_SIZE
#define JMAX PROBLEM_SIZE
#define KMAX PROBLEM_SIZE
#define IMAXP (IMAX / 2 * 2)
#define JMAXP (JMAX / 2 * 2)

#define AA 0
#define BB 1
#define CC 2

#define T_TOTAL 1
#define T_RHS 2
#define T_XSOLVE 3
#define T_YSOLVE 4
#define T_ZSOLVE 5
#define T_LAST 5

extern int grid_points[3];
extern int timeron;
extern double dt, nu, dssp, tx1, tx2, ty1, ty2, tz1, tz2, dnxm1, dnym1, dnzm1, ce[7][5];
extern double u[KMAX][JMAXP + 1][IMAXP + 1][5];
extern double rhs[KMAX][JMAXP + 1][IMAXP + 1][5];
extern double forcing[KMAX][JMAXP + 1][IMAXP + 1][5];
extern double fjac[PROBLEM_SIZE + 1][5][5], njac[PROBLEM_SIZE + 1][5][5], lhs[PROBLEM_SIZE + 1][3][5][5];
extern double ue[PROBLEM_SIZE + 1][5], buf[PROBLEM_SIZE + 1][5];

void set_constants(void);
void exact_solution(double xi, double eta, double zeta, double dtemp[5]);
void initialize(void);
void exact_rhs(void);
void advance(void);
void compute_rhs(void);
void x_solve(void);
void y_solve(void);
void z_solve(void);
void add(void);
void verify(int niter, double *sum, int *verified);
