-- ARGV: lease, value, ttlMs for each row. Replies with 1 for each value that was written, otherwise 0; with one 1 if all were. Most guards
-- hold the lease and nothing else.

local guards = {}
for i = 1, #KEYS, 2 do guards[#guards + 1] = KEYS[i] end
local texts, ended, mine, out, refused = redis.call('MGET', unpack(guards)), {}, {}, {}, 0
for n, guard in ipairs(guards) do
  mine[n] = texts[n] == '0;' .. ARGV[n * 3 - 2] .. ';'
  if mine[n] then ended[#ended + 1] = guard end
end
if #ended > 0 then redis.call('DEL', unpack(ended)) end
if #ended == #guards then
  for n = 1, #guards do redis.call('SET', KEYS[n * 2], ARGV[n * 3 - 1], 'PX', ARGV[n * 3]) end
  return { 0, 1 }
end
--include parts/clock
--include parts/library
for n, guard in ipairs(guards) do
  local freed = not mine[n] and end_lease(guard, ARGV[n * 3 - 2])
  mine[n] = mine[n] or freed
  if mine[n] then redis.call('SET', KEYS[n * 2], ARGV[n * 3 - 1], 'PX', ARGV[n * 3]) else refused = refused + 1 end
  if freed then write_guard(guard, freed, 0, false) end
  out[n] = mine[n] and 1 or 0
end
return { removed, refused == 0 and 1 or out }
