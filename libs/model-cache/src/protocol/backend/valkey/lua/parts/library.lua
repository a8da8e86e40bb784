-- Reads and writes guards, whose text format/guard.ts describes. Scripts include it after what most calls need: the server creates
-- these functions again in each call.
-- Needs: parts/clock

-- Foreign text may have too many digits; the library's numbers never do.
local function number(digits)
  return #digits < 18 and tonumber(digits) or 0
end

local function get(key)
  local value = redis.pcall('GET', key)
  if type(value) ~= 'table' then return value end
  if not string.find(value.err, 'WRONGTYPE', 1, true) then error(value) end
  redis.call('UNLINK', key)
  removed = removed + 1
  return false
end

-- The fences that have not expired, their latest deadline, the mark of the expired ones, and the deadline of held rows.
local function read_fences(fenced, token, mark_ms)
  local kept, last, mark, held = {}, 0, 0, 0
  for name, till in string.gmatch(fenced, '([^%s@]+)@(%d+)') do
    local at = number(till)
    if at <= now then mark = math.max(mark, at + mark_ms)
    elseif name == 'held' then held = math.max(held, at)
    elseif name ~= token then
      kept[#kept + 1] = name .. '@' .. till
      last = math.max(last, at)
    end
  end
  return kept, last, mark, held
end

local function add_fence(kept, last, name, till)
  kept[#kept + 1] = name .. '@' .. text(till)
  return math.max(last, till)
end

local function lease_until(lease)
  return lease == '' and 0 or number(string.match(lease, '@(%d+)$') or '0')
end

-- Mark, lease, fences without that of the token, their latest deadline, the deadline of held rows, and the text.
local function read_guard(key, token, mark_ms)
  local found = get(key)
  if not found then return 0, '', {}, 0, 0, found end
  local mark, lease, fenced = string.match(found, '^(%d+);([^;]*);([^;]*)$')
  if not mark then return 0, '', {}, 0, 0, found end
  local kept, last, expired, held = read_fences(fenced, token, mark_ms)
  if lease_until(lease) <= us then lease = '' end
  return math.max(number(mark), expired), lease, kept, last, held, found
end

-- A server that is out of memory accepts no new guard. It can still delete one with a lease; fences expire by themselves.
local function write_guard(key, mark, lease, kept, last, mark_ms, found, is_needed)
  local till = math.max(mark, math.ceil(lease_until(lease) / 1000))
  if #kept > 0 then till = math.max(till, last + mark_ms) end
  if till <= now then
    if found then redis.call('DEL', key) end
    return
  end
  local guard = text(mark) .. ';' .. lease .. ';' .. table.concat(kept, ' ')
  local reply = redis.pcall('SET', key, guard, 'PXAT', text(till))
  if not reply.err then return end
  if found and string.find(found, '^%d+;[^;]+;') then redis.call('DEL', key) end
  if is_needed then error(reply) end
end

local function end_lease(key, lease)
  local mark, held_lease, _, _, _, found = read_guard(key, '', 0)
  if held_lease ~= lease then return false end
  return true, mark, found
end
