/* What all of these programs share: stop watches, numbers from a
   generator, and the comparison at the end. */
#ifndef COMMON_H
#define COMMON_H

void timer_clear(int n);
void timer_start(int n);
void timer_stop(int n);
double timer_read(int n);

double uniform(long long *x, long long a);
void uniforms(int n, long long *x, long long a, double y[]);
long long power(long long a, int n);

int compare(int n, const double found[], const double wanted[], double epsilon);
void print_results(const char *name, int n1, int n2, int n3, int niter, double sum, int verified);

#endif
