// Which lines have code of two functions?
static volatile int sink;

struct Shape {
  int sides = 3;
  virtual ~Shape() {
    sink = sides;
  }
};

template <typename T> T twice(T value) {
  return value + value;
}

int main() {
  Shape *shape = new Shape;
  for (int i = 0; i < 5; i++) [](int one) { sink = one; }(i);
  sink = twice(shape->sides);
  for (int i = 0; i < 6; i++)
    sink = (int)twice(1.5);
  delete shape;
  return 0;
}
