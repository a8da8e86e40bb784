-- ARGV: token, holdMs, markMs, then a channel and a message, if any. Replies with a list of 1, or of 0 if it may not publish.

--include parts/clock
local hold_ms, mark_ms = tonumber(ARGV[2]), tonumber(ARGV[3])
local last_row = #KEYS
--include parts/remove-values
local till = text(now + mark_ms)
local texts = hold_ms > 0 and {} or #guards == 1 and { redis.pcall('GET', guards[1]) } or redis.call('MGET', unpack(guards))
local others = {}
for n, key in ipairs(guards) do
  local found, is_set = texts[n], false
  local mark, token
  if type(found) == 'string' then mark, token = string.match(found, '^(%d+);;([^%s@]+)@%d+$') end
  local is_own = token == ARGV[1] and #mark < 18 and tonumber(mark) <= now + mark_ms
  if is_own or found == false and #guards == 1 then
    is_set = not redis.pcall('SET', key, till .. ';;', 'PXAT', till).err
  end
  if not is_set then others[#others + 1] = key end
end
local fence_till, held_till, new_mark = 0, hold_ms > 0 and now + hold_ms or 0, now + mark_ms
--include parts/change-others
local channel, message = ARGV[4], ARGV[5]
--include parts/publish
return { removed, { announced } }
