// What the Wren machine is trained by: shapes, queens, words, a tree.

class Shape {
  construct new(side) { _side = side }
  side { _side }
  area { 0 }
}
class Square is Shape {
  construct new(side) { super(side) }
  area { side * side }
}
class Circle is Shape {
  construct new(side) { super(side) }
  area { side * side * 3 }
}

class Tree {
  static build(depth) { depth == 0 ? [null, null] : [build(depth - 1), build(depth - 1)] }
  static nodes(tree) { tree[0] == null ? 1 : 1 + nodes(tree[0]) + nodes(tree[1]) }
}

class Queens {
  construct new(size) {
    _size = size
    _columns = List.filled(size, false)
    _up = List.filled(2 * size, false)
    _down = List.filled(2 * size, false)
  }
  count(row) {
    if (row == _size) return 1
    var all = 0
    for (column in 0..._size) {
      var up = row + column
      var down = row - column + _size
      if (!_columns[column] && !_up[up] && !_down[down]) {
        _columns[column] = _up[up] = _down[down] = true
        all = all + count(row + 1)
        _columns[column] = _up[up] = _down[down] = false
      }
    }
    return all
  }
}

var words = {}
var total = 0
for (round in 1..Rounds) {
  for (side in 1..400) {
    var shape = side % 3 == 0 ? Circle.new(side) : Square.new(side)
    total = total + shape.area
  }
  total = total + Queens.new(5).count(0)
  total = total + Tree.nodes(Tree.build(6))
  for (number in 0...120) {
    var word = "w%(number * round % 97)"
    words[word] = (words.containsKey(word) ? words[word] : 0) + 1
  }
}
System.print("%(total) %(words.count)")
