-- A load for the heap: text, tables, objects with finalizers, closures, coroutines, compiled chunks.
local kept = {}

local function random(state)
  state = (state * 1103515245 + 12345) & 0x7fffffff
  return state, state >> 8
end

local jobs = {}

function jobs.text(seed)
  local parts, r = {}, 0
  for i = 1, 40 do
    seed, r = random(seed)
    parts[#parts + 1] = string.format("%d:%s;", r % 1000, string.rep(string.char(97 + r % 26), r % 90))
  end
  local text = table.concat(parts)
  local changed = text:gsub("%d+", function(n) return "<" .. (tonumber(n) + 1) .. ">" end)
  for word in changed:gmatch("%a+") do r = r + #word end
  return #changed + r
end

function jobs.tables(seed)
  local root, r = {}, 0
  for i = 1, 150 do
    seed, r = random(seed)
    root["key" .. r % 97] = { i, r, name = "n" .. i }
    root[i] = r
    if r % 3 == 0 then root[r % i + 1] = nil end
  end
  local count = 0
  for _, value in pairs(root) do
    count = count + (type(value) == "table" and value[1] or value) % 1013
  end
  return count
end

function jobs.sorting(seed)
  local list, r = {}, 0
  for i = 1, 120 do
    seed, r = random(seed)
    list[i] = { key = r % 10000, text = "item " .. r % 50 }
  end
  table.sort(list, function(a, b) return a.key < b.key end)
  return list[1].key + list[60].key * 3 + #list[120].text
end

local Object = {}
Object.__index = Object
Object.__gc = function(o) o.parts = nil end

function jobs.objects(seed)
  local r, first, sum = 0, nil, 0
  for i = 1, 80 do
    seed, r = random(seed)
    first = setmetatable({ next = r % 5 ~= 0 and first or nil, parts = { r, r + 1 } }, Object)
  end
  while first do
    sum = sum + first.parts[1] % 7919
    first = first.next
  end
  return sum
end

function jobs.coroutines(seed)
  local r, sum = 0, 0
  local threads = {}
  for i = 1, 12 do
    seed, r = random(seed)
    local limit = r % 20 + 1
    threads[i] = coroutine.wrap(function()
      local list = {}
      for n = 1, limit do
        list[n] = n .. "/" .. limit
        coroutine.yield(#list[n])
      end
      return 0
    end)
  end
  for step = 1, 20 do
    for i, thread in pairs(threads) do
      local got = thread()
      sum = sum + got
      if got == 0 then threads[i] = nil end
    end
  end
  return sum
end

function jobs.chunks(seed)
  local r
  seed, r = random(seed)
  local source = { "local a = 0\n" }
  for i = 1, r % 30 + 5 do
    source[#source + 1] = "a = a + (function(x) return x * " .. i .. " end)(" .. r % 100 .. ")\n"
  end
  source[#source + 1] = "return a"
  return load(table.concat(source))()
end

function jobs.keep(seed)
  local r
  for i = 1, 20 do
    seed, r = random(seed)
    local place = r % 200
    if kept[place] then
      kept[place] = nil
    else
      kept[place] = string.rep("k", r % 300) .. place
    end
  end
  local sum = 0
  for place = 0, 199 do
    sum = sum + (kept[place] and #kept[place] or 0)
  end
  return sum
end

local names = { "text", "tables", "sorting", "objects", "coroutines", "chunks", "keep" }

function round(number)
  local seed, r, sum = number + 1, 0, 0
  for i = 1, 6 do
    seed, r = random(seed)
    sum = (sum * 31 + jobs[names[r % #names + 1]](seed + number)) & 0xffffffff
  end
  if number % 16 == 15 then collectgarbage() end
  return sum
end
