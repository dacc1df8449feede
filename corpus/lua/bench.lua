-- Lua at work: five short tasks that lean on different parts of the machine.
--
-- Calls (fib), tables and comparisons (sort), nested loops with backtracking
-- (queens), patterns (gmatch) and string building (format). One line each,
-- the same in every build: no time, no address and no unordered `pairs`.
--
--     lua bench.lua [SIZE]
local size = tonumber(arg and arg[1]) or 40

local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

local state = 20261121
local function random(limit)
  state = (state * 1103515245 + 12345) % 2147483648
  return state % limit
end

local function sorted(count)
  local list = {}
  for i = 1, count do list[i] = random(1000000) end
  table.sort(list, function(a, b) return a < b end)
  local sum = 0
  for i = 1, count, 7 do sum = (sum * 31 + list[i]) % 1000000007 end
  return sum
end

local function queens(n)
  local column, rising, falling, found = {}, {}, {}, 0
  local function place(row)
    if row > n then found = found + 1 return end
    for c = 1, n do
      if not (column[c] or rising[row + c] or falling[row - c + n]) then
        column[c], rising[row + c], falling[row - c + n] = true, true, true
        place(row + 1)
        column[c], rising[row + c], falling[row - c + n] = nil, nil, nil
      end
    end
  end
  place(1)
  return found
end

local function words(count)
  local parts = {}
  for i = 1, count do parts[i] = string.format("word%d=%d;", random(50), i) end
  local text, seen, sum = table.concat(parts, " "), {}, 0
  for key, value in text:gmatch("(%a+%d+)=(%d+);") do
    seen[key] = (seen[key] or 0) + 1
    sum = (sum + tonumber(value) * seen[key]) % 1000000007
  end
  return sum
end

local function formats(count)
  local sum = 0
  for i = 1, count do
    local text = string.format("%05d|%-8s|%x|%.3f", i, "n" .. i % 17, i * 7, i / 3)
    sum = (sum * 31 + text:byte(#text) + #text) % 1000000007
  end
  return sum
end

local calls = 0
for _ = 1, size do calls = calls + fib(18) end
print("fib", calls)
print("sort", sorted(size * 2000))
print("queens", queens(size > 4 and 7 or 5))
print("words", words(size * 1000))
print("format", formats(size * 1500))
