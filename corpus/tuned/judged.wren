// What the Wren machine is judged by: a sieve, matrices, closures, text, fibers.

class Matrix {
  construct new(size, start) {
    _size = size
    _rows = (0...size).map {|row| (0...size).map {|column| (row * 7 + column * 3 + start) % 11 }.toList }.toList
  }
  rows { _rows }
  trace(other) {
    var sum = 0
    for (row in 0..._size) {
      for (column in 0..._size) sum = sum + _rows[row][column] * other.rows[column][row]
    }
    return sum
  }
}

var sieve = Fn.new {|limit|
  var marks = List.filled(limit + 1, true)
  var primes = 0
  for (number in 2..limit) {
    if (marks[number]) {
      primes = primes + 1
      var multiple = number * number
      while (multiple <= limit) {
        marks[multiple] = false
        multiple = multiple + number
      }
    }
  }
  return primes
}

var fibonacci = null
fibonacci = Fn.new {|n| n < 2 ? n : fibonacci.call(n - 1) + fibonacci.call(n - 2) }

var total = 0
var text = ""
for (round in 1..Rounds) {
  total = total + sieve.call(600)
  total = total + Matrix.new(12, round).trace(Matrix.new(12, round + 1))
  total = total + fibonacci.call(11)
  var numbers = Fiber.new {
    for (number in 1..60) Fiber.yield(number * round)
    return null
  }
  var next = numbers.call()
  while (next != null) {
    total = total + next % 13
    next = numbers.call()
  }
  text = "%(text)%(round % 10)"
  if (text.count > 40) text = text[20..-1]
  if (text.contains("789")) total = total + 1
  total = total + [5, 3, round % 7, 9].reduce {|a, b| a + b }
}
System.print("%(total) %(text)")
