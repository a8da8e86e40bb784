-- ARGV: token, leaseMs, onlyAbsent, onlyUnmarked, untilMs or ''. Replies with a lease or a refusal for each row, or with one for all: a
-- refusal if it is too late, a lease if they had neither value nor guard, which takes one command for a row instead of three.

--include parts/clock
if ARGV[5] ~= '' and now >= tonumber(ARGV[5]) then return { removed, 'late' } end
local mark_ms = tonumber(ARGV[2])
local granted = ARGV[1] .. '@' .. text(us + mark_ms * 1000)
if redis.call('EXISTS', unpack(KEYS)) == 0 then
  local guard, till = '0;' .. granted .. ';', text(math.ceil(us / 1000 + mark_ms))
  for i = 1, #KEYS, 2 do redis.call('SET', KEYS[i], guard, 'PXAT', till) end
  return { removed, granted }
end
--include parts/library
local out = {}
for i = 1, #KEYS, 2 do
  local mark, lease, kept, last, held, found = read_guard(KEYS[i], '', mark_ms)
  local answer = granted
  if #kept > 0 or held > 0 or (ARGV[4] == '1' and lease == '' and mark > now) then answer = 'fenced'
  elseif lease ~= '' then answer = 'leased'
  elseif ARGV[3] == '1' then
    local kind = redis.call('TYPE', KEYS[i + 1]).ok
    if kind == 'string' then answer = 'filled'
    elseif kind ~= 'none' then
      redis.call('UNLINK', KEYS[i + 1])
      removed = removed + 1
    end
  end
  if answer == granted then write_guard(KEYS[i], mark, granted, {}, 0, 0, found, true) end
  out[#out + 1] = answer
end
return { removed, out }
