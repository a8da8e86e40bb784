-- ARGV: token, leaseMs, onlyAbsent, onlyUnmarked, untilMs or ''. A lease is granted unless a fence stands, a write is remembered of a row
-- that was read before it, another process has the lease, or there is a value by now. Replies with a lease or a refusal for each row, or
-- with one for all: a refusal if it is too late, a lease if they had neither value nor guard, which takes one command for a row instead of
-- three.

--include parts/clock
local token, lease_ms, until_ms = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[5])
local only_absent, only_unmarked = ARGV[3] == '1', ARGV[4] == '1'
if until_ms and now >= until_ms then return { removed, 'late' } end
local granted = token .. '@' .. text(us + lease_ms * 1000)
if redis.call('EXISTS', unpack(KEYS)) == 0 then
  local guard, till = '0;' .. granted .. ';', text(math.ceil(us / 1000 + lease_ms))
  for i = 1, #KEYS, 2 do redis.call('SET', KEYS[i], guard, 'PXAT', till) end
  return { removed, granted }
end
--include parts/library
local out = {}
for i = 1, #KEYS, 2 do
  local guard = read_guard(KEYS[i], '', lease_ms)
  local is_fenced = #guard.kept > 0 or guard.held_till > 0
  local answer = granted
  if is_fenced or (only_unmarked and guard.lease == '' and guard.mark > now) then answer = 'fenced'
  elseif guard.lease ~= '' then answer = 'leased'
  elseif only_absent then
    local kind = redis.call('TYPE', KEYS[i + 1]).ok
    if kind == 'string' then answer = 'filled'
    elseif kind ~= 'none' then
      redis.call('UNLINK', KEYS[i + 1])
      removed = removed + 1
    end
  end
  if answer == granted then
    guard.lease = granted
    write_guard(KEYS[i], guard, 0, true)
  end
  out[#out + 1] = answer
end
return { removed, out }
