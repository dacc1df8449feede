#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <ctype.h>
#include <time.h>
#include <assert.h>
#include <stdarg.h>
#include <setjmp.h>
#include <complex.h>
static int cmp(const void*a,const void*b){return *(int*)a-*(int*)b;}
static int sum(int n,...){va_list l;va_start(l,n);int s=0;while(n--)s+=va_arg(l,int);va_end(l);return s;}
jmp_buf j;
int main(int c,char**v){ char buf[100]=""; int a[]={3,1,2}; qsort(a,3,4,cmp); int k=2; printf("%d %p\n",a[0],bsearch(&k,a,3,4,cmp)!=0?(void*)1:0);
 while(fgets(buf,100,stdin)) fputs(buf,stdout); printf("%f %f %d\n",sin(1),pow(2,c),sum(3,1,2,3)); strtok(buf," "); if(!setjmp(j)) longjmp(j,1);
 char*p=strdup("x"); free(p); time_t t=time(0); struct tm*tm=localtime(&t); strftime(buf,100,"%Y",tm); fprintf(stderr,"%d",tm->tm_year); clock_t cl=clock(); printf("%d",isalpha(c)); double complex z=csqrt(-1+c); printf("%f",cimag(z)); exit(strtol("0",0,10)); }
