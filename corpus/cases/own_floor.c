static int w;
double fma(double a,double b,double c){ w++; return a*b+c; }
double floor(double a){ w+=2; return (long)a; }
int main(int ac_,char**av_) { double d=ac_; for (int k = 0; k < 5; k++) { d=__builtin_fma(d,2,1); d=__builtin_floor(d*0.7); } int t=0; for(int i=0;i<w;i++) t+=i; return t!=105; }
