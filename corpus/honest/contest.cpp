// What programs of contests use of the C++ library, one line each.
#include <bits/stdc++.h>
using namespace std;
struct P { int x, y; bool operator<(const P&o) const { return tie(x,y)<tie(o.x,o.y);} };
struct Base { virtual ~Base(){} virtual int f()=0; };
struct D: Base { int f() override { return 3; } };
int main(){
  ios::sync_with_stdio(false); cin.tie(nullptr);
  int n; if(!(cin>>n)) n=5;
  vector<P> v; map<string,int> m; unordered_map<int,string> u; set<P> s; multiset<int> ms; priority_queue<int> q; deque<int> d; list<int> l;
  for(int i=0;i<n;i++){ v.push_back({i*7%5,i}); m["k"+to_string(i)]=i; u[i]=string(i,'x'); s.insert({i,i}); q.push(i); d.push_front(i); l.push_back(i); ms.insert(i);}
  sort(v.begin(),v.end()); stable_sort(v.begin(), v.end());
  mt19937 g(42); shuffle(v.begin(),v.end(),g); uniform_int_distribution<int> di(0,9); normal_distribution<double> nd; cout<<di(g)<<nd(g)<<"\n";
  stringstream ss; ss<<fixed<<setprecision(3)<<3.14159<<" "<<hex<<255; string w; while(ss>>w) cout<<w<<endl;
  string line; getline(cin,line); cout<<line.size()<<' '<<line.substr(0,2)<<' '<<line.find("a")<<endl;
  unique_ptr<Base> b(new D); shared_ptr<Base> sp=make_shared<D>(); cout<<b->f()+sp->f()<<endl;
  function<int(int)> fn=[&](int x){return x<=1?1:x*fn(x-1);}; cout<<fn(10)<<"\n";
  try { v.at(1000); } catch(const out_of_range&e){ cout<<e.what()<<"\n"; }
  try { stoi("abc"); } catch(exception&e){ cerr<<e.what()<<"\n"; }
  bitset<100> bs; bs[3]=1; cout<<bs.count()<<" "<<__builtin_popcountll(n)<<"\n";
  auto t=chrono::steady_clock::now(); cout<<(chrono::steady_clock::now()-t).count()%1<<"\n";
  complex<double> c(1,2); cout<<abs(c*c)<<" "<<abs(pow(c,2))<<"\n";
  valarray<int> va(3); va+=1; cout<<va.sum()<<"\n";
  optional<int> o=3; variant<int,string> vr="s"; cout<<get<string>(vr)<<*o<<"\n"; any an=3; cout<<any_cast<int>(an)<<"\n";
  tuple<int,string> tp{1,"a"}; cout<<get<1>(tp)<<"\n"; array<int,5> ar{}; iota(ar.begin(),ar.end(),1); cout<<accumulate(ar.begin(),ar.end(),0)<<"\n";
  printf("%d %s\n",3,"x"); int x; sscanf("42","%d",&x); srand(time(0)); x+=rand(); ifstream f("no"); cout<<f.good()<<"\n";
  nth_element(v.begin(),v.begin()+1,v.end()); next_permutation(ar.begin(),ar.end()); rotate(l.begin(),next(l.begin()),l.end());
  cout<<quoted("a")<<boolalpha<<true<<left<<setw(4)<<1<<"\n"; string_view sv="abc"; cout<<sv<<" "<<stod("1.5")<<"\n";
  int*p=new(nothrow) int[3]; delete[] p; vector<bool> vb(10); long double ld=sqrtl(2); cout<<ld<<"\n"; thread_local int tl=3; cout<<tl<<endl;
  assert(n>0);
}
