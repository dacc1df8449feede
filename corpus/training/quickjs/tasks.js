// JavaScript at work: tasks that lean on different parts of an interpreter.
//
// Classes, sorting, maps and sets, regular expressions, generators, JSON, big
// integers, typed arrays, exceptions, closures, strings, proxies and promises.
// A checksum of the results is printed: the same in every build, as neither a
// time nor an address enters it.
//
// The driver sets ROUNDS and `print`.

let state = 12345;

function below(limit) {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return (state >>> 8) % limit;
}

class Shape {
  constructor(name) { this.label = name; }
  area() { return 0; }
  get name() { return this.label; }
}

class Rectangle extends Shape {
  constructor(width, height) {
    super("rectangle");
    this.width = width;
    this.height = height;
  }
  area() { return this.width * this.height; }
}

class Circle extends Shape {
  #radius;
  constructor(radius) {
    super("circle");
    this.#radius = radius;
  }
  area() { return Math.PI * this.#radius * this.#radius; }
}

function shapes(count) {
  const all = [];
  for (let i = 0; i < count; i++) all.push(i % 2 ? new Rectangle(i, i + 1) : new Circle(i));
  return all.reduce((sum, shape) => sum + shape.area() + shape.name.length, 0) | 0;
}

function sorting(count) {
  const numbers = [];
  for (let i = 0; i < count; i++) numbers.push(below(10000));
  numbers.sort((a, b) => a - b);
  const keys = numbers.map(number => "k" + (number * 7 % 997));
  keys.sort();
  const times = new Map();
  for (const key of keys) times.set(key, (times.get(key) || 0) + 1);
  let sum = 0;
  for (const [key, value] of times) sum += key.length * value;
  return sum + keys.slice(3, 40).reverse().join("").length;
}

function patterns(count) {
  const words = ["alpha", "beta12", "2024-05-11", "foo@bar.org", "x=42;", "(nested (paren))", "Grüße"];
  let text = "";
  for (let i = 0; i < count; i++) text += words[below(words.length)] + " ";
  let sum = 0;
  for (const match of text.matchAll(/(\d{4})-(\d\d)-(\d\d)|(?<user>[a-z]+)@([a-z.]+)/g)) sum += match.index & 7;
  sum += text.replace(/\b([a-z])([a-z]*)\b/gi, (all, first, rest) => first.toUpperCase() + rest).length;
  return sum + text.split(/[\s;=]+/).filter(part => /^(?:[a-z]+\d*|\d+)$/u.test(part)).length;
}

function* pairs(count) {
  for (let i = 0; i < count; i++) {
    if (i % 5 == 4) continue;
    yield [i, { value: i * 2 }];
  }
}

function generators(count) {
  let sum = 0;
  for (const [i, { value, usual = 3 }] of pairs(count)) sum += i ^ value + usual;
  return sum;
}

function json(count) {
  const tree = { list: [], "esc\n\"": null };
  for (let i = 0; i < count; i++) {
    tree.list.push({ id: i, name: "item" + i, tags: ["a", "b" + (i % 7)], third: i / 3, even: i % 2 == 0 });
  }
  const text = JSON.stringify(tree);
  const again = JSON.parse(text, (key, value) => key == "third" ? Math.round(value * 100) / 100 : value);
  return text.length + again.list.reduce((sum, item) => sum + item.third + item.tags[1].length, 0);
}

function bigIntegers(count) {
  let a = 1n, b = 1n;
  for (let i = 0; i < count; i++) [a, b] = [b, a + b * 3n];
  return Number((a ** 2n / (b >> 3n)) % 1000003n) + a.toString().length;
}

function matrices(n) {
  const a = new Float64Array(n * n), b = new Float64Array(n * n), c = new Float64Array(n * n);
  for (let i = 0; i < n * n; i++) {
    a[i] = i % 7;
    b[i] = i % 11;
  }
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
  }
  return c[n + 1];
}

function sieve(limit) {
  const composite = new Uint8Array(limit + 1);
  let primes = 0;
  for (let i = 2; i <= limit; i++) {
    if (composite[i]) continue;
    primes++;
    for (let j = i * 2; j <= limit; j += i) composite[j] = 1;
  }
  return primes;
}

function exceptions(count) {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    try {
      if (i % 3 == 0) throw new TypeError("x" + i);
      if (i % 7 == 0) null.field;
      sum++;
    } catch (error) {
      sum += error.message.length;
      if (error instanceof TypeError) sum++;
    } finally {
      sum ^= 1;
    }
  }
  return sum;
}

function closures(count) {
  const adders = [];
  for (let i = 0; i < count; i++) adders.push(x => x + i);
  return adders.reduce((sum, add) => add(sum) & 0xffff, 0);
}

function strings(count) {
  let text = "";
  for (let i = 0; i < count; i++) {
    text += String.fromCharCode(97 + i % 26);
    if (i % 50) continue;
    text = text.substring(text.length >> 1).padStart(20, "-") + `${i}:${text.indexOf("xyz")}`;
  }
  const code = text.normalize("NFD").toLowerCase().charCodeAt(5);
  return text.length + code + encodeURIComponent(text + "é").length + parseInt(text.slice(-2), 36);
}

function insert(root, key) {
  let place = root, depth = 1;
  for (;;) {
    const side = key < place.key ? "left" : "right";
    if (!place[side]) {
      place[side] = { key, left: null, right: null };
      return depth;
    }
    place = place[side];
    depth++;
  }
}

function trees(count) {
  const root = { key: 50000, left: null, right: null };
  let steps = 0;
  for (let i = 0; i < count; i++) steps += insert(root, below(100000));
  const height = node => node ? 1 + Math.max(height(node.left), height(node.right)) : 0;
  return steps + height(root);
}

function proxies(count) {
  const target = { a: 1 };
  const proxy = new Proxy(target, {
    get: (object, key) => key in object ? object[key] : 7,
    set: (object, key, value) => {
      object[key] = value * 2;
      return true;
    },
  });
  let sum = 0;
  for (let i = 0; i < count; i++) {
    proxy["k" + i % 9] = i;
    sum += proxy["k" + i % 12] + proxy.other;
  }
  return sum + Object.keys(target).length + Object.entries(target).flat().length;
}

function mixture(count) {
  let sum = 0;
  const seen = new Set();
  for (let i = 0; i < count; i++) {
    seen.add(i * i % 101);
    switch (i % 6) {
      case 0: sum += Math.sqrt(i) | 0; break;
      case 1: sum ^= i << 3; break;
      case 2: sum += (i * 1.5).toFixed(2).length; break;
      case 3: sum -= i % 13; break;
      case 4: sum += [...("ab" + i)].length; break;
      default: sum += typeof i == "number" ? 1 : 0;
    }
  }
  const object = { ...{ a: 1, b: 2 }, get c() { return sum; } };
  for (const key in object) sum += object[key] & 3;
  return sum + seen.size + new Date(86400000 * count).toISOString().length;
}

function round() {
  return [
    shapes(300), sorting(700), patterns(250), generators(1500), json(150), bigIntegers(200), matrices(24),
    sieve(8000), exceptions(800), closures(1000), strings(2000), trees(600), proxies(500), mixture(1200),
  ].join(",");
}

async function promises(count) {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += await new Promise(resolve => resolve(i));
  return sum;
}

function mix(sum, text) {
  for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 16777619);
  return sum;
}

let checksum = 1;
for (let n = 0; n < ROUNDS; n++) checksum = mix(checksum, round());
promises(ROUNDS * 20).then(sum => {
  checksum = mix(checksum, String(sum));
  print("checksum " + (checksum >>> 0).toString(16));
});
