static int w; typedef unsigned __int128 u;
u __udivti3(u a,u b){ w++; u q=0; while(a>=b){ a-=b; q++; } return q; }
int main(int ac_,char**av_) { u d=ac_*40; for (int k = 0; k < 5; k++) { d=d/(ac_+2)+19; } int t=0; for(int i=0;i<w;i++) t+=i; return t!=10; }
