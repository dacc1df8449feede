static int __attribute__((noinline)) h(int t){ if(t<2) return t; int s=0; for(int k=1;k<3;k++) s+=h(t-k)^1; return s; }
int main(int c,char**v){ int t=0; for(int i=c;i<40&&t<1000000;i+=1+(i*i)%3) t+=h(i%9); return t&1; }
