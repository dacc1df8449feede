static int g(int t){ return t>7; }
int main(int c,char**v){ return g(c); }
