/* Workers of OpenMP wait in its library when main returns. */
#include <stdio.h>
#include <omp.h>
static long a[1000];
__attribute__((noinline)) static long f(long i){ long s=0; for(long k=0;k<i%17+1;k++) s+=k^i; return s; }
int main(void){ omp_set_num_threads(4); long t=0;
#pragma omp parallel for reduction(+:t) schedule(static)
 for(long i=0;i<200000;i++) t+=f(i);
 printf("%ld\n",t); return 0; }
