// What the linker fills in: a call, a number of another file, a text, one of its own.
extern int outer;
int given(int);
const char *named(const char *);
static int turns;

int outside(int a) {
  turns += a;
  return given(a) + outer + named("a text")[a] + turns;
}
