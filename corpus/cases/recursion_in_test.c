static int hgt(int t){ if(!t) return 0; return 1+hgt(t-1); }
int main(int c,char**v){ int t=0; for(int i=0;i<hgt(5);i++) t++; return t; }
