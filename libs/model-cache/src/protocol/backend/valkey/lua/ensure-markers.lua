-- ARGV: untilMs or '', a seed, then start and ttlMs for each marker. Replies with each marker: the one that is stored, if it begins with its
-- start, or a new one. Stores none while a fence or a lease stands, nor from untilMs on. Most guards remember a write and nothing else.

--include parts/clock
local until_ms, epoch = tonumber(ARGV[1]), string.sub(redis.sha1hex(ARGV[2] .. text(us)), 1, 16)
local is_late = until_ms and now >= until_ms
local out, others = {}, {}
local function put(n)
  out[n] = ARGV[n * 2 + 1] .. epoch
  redis.call('SET', KEYS[n * 2], out[n], 'PX', ARGV[n * 2 + 2])
end
for n = 1, #KEYS / 2 do
  local guard, found = redis.pcall('GET', KEYS[n * 2 - 1]), redis.pcall('GET', KEYS[n * 2])
  local is_free = not guard or type(guard) == 'string' and string.find(guard, '^%d+;;$')
  if type(found) == 'string' and string.find(found, ARGV[n * 2 + 1], 1, true) == 1 then out[n] = found
  elseif is_late then out[n] = 'fenced'
  elseif is_free and type(found) ~= 'table' then put(n)
  else others[#others + 1] = n end
end
if #others > 0 then
  --include parts/library
  for _, n in ipairs(others) do
    get(KEYS[n * 2])
    local guard = read_guard(KEYS[n * 2 - 1], '', 0)
    if #guard.kept > 0 or guard.held_till > 0 or guard.lease ~= '' then out[n] = 'fenced' else put(n) end
  end
end
return { removed, out }
