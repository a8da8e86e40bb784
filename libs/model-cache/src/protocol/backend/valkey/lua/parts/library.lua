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

-- The fences of a guard, or of a register: those that are `kept`, which have not expired and are not of the token; the `last` of their
-- deadlines; `mark`, until when a write is remembered whose fence has expired; and `held_till`, until when rows stay fenced after a write.
local function read_fences(fenced, token, mark_ms)
  local fences = { kept = {}, last = 0, mark = 0, held_till = 0, lease = '', found = false }
  if fenced == '' then return fences end
  for name, digits in string.gmatch(fenced, '([^%s@]+)@(%d+)') do
    local till = number(digits)
    if till <= now then fences.mark = math.max(fences.mark, till + mark_ms)
    elseif name == 'held' then fences.held_till = math.max(fences.held_till, till)
    elseif name ~= token then
      fences.kept[#fences.kept + 1] = name .. '@' .. digits
      fences.last = math.max(fences.last, till)
    end
  end
  return fences
end

local function add_fence(fences, name, till)
  fences.kept[#fences.kept + 1] = name .. '@' .. text(till)
  fences.last = math.max(fences.last, till)
end

local function lease_until(lease)
  return lease == '' and 0 or number(string.match(lease, '@(%d+)$') or '0')
end

-- The fences of a guard, its mark among them, its `lease`, and its text as it was `found`.
local function read_guard(key, token, mark_ms)
  local found = get(key)
  local mark, lease, fenced
  if found then mark, lease, fenced = string.match(found, '^(%d+);([^;]*);([^;]*)$') end
  local guard = read_fences(fenced or '', token, mark_ms)
  guard.found = found
  if mark then
    guard.mark = math.max(guard.mark, number(mark))
    if lease_until(lease) > us then guard.lease = lease end
  end
  return guard
end

-- Fences are remembered for `mark_ms`. A server that is out of memory accepts no new guard. It can still delete one with a lease; fences
-- expire by themselves.
local function write_guard(key, guard, mark_ms, is_needed)
  local till = math.max(guard.mark, math.ceil(lease_until(guard.lease) / 1000))
  if #guard.kept > 0 then till = math.max(till, guard.last + mark_ms) end
  if till <= now then
    if guard.found then redis.call('DEL', key) end
    return
  end
  local value = text(guard.mark) .. ';' .. guard.lease .. ';' .. table.concat(guard.kept, ' ')
  local reply = redis.pcall('SET', key, value, 'PXAT', text(till))
  if not reply.err then return end
  if guard.found and string.find(guard.found, '^%d+;[^;]+;') then redis.call('DEL', key) end
  if is_needed then error(reply) end
end

-- The guard of a lease, to be written without it; nil if there is another lease. A guard with a lease has no fences.
local function end_lease(key, lease)
  local guard = read_guard(key, '', 0)
  if guard.lease ~= lease then return nil end
  guard.lease, guard.kept = '', {}
  return guard
end
