-- ARGV: token, fenceMs, markMs, a version of the catalogue or '', then a channel and a message, if any. With a version, the last two KEYS
-- are those of the catalogue. Replies with a list: 1, or 0 if it may not publish, and the time if the catalogue has this version.

--include parts/clock
local till, mark_ms = now + tonumber(ARGV[2]), tonumber(ARGV[3])
local last_row, current = #KEYS, false
if ARGV[4] ~= '' then
  last_row = #KEYS - 2
  local hash, epoch_key, known = KEYS[#KEYS - 1], KEYS[#KEYS], ARGV[4]
  --include parts/catalogue-check
  current = is_current and text(now)
end
--include parts/remove-values
local fence = ARGV[1] .. '@' .. text(till)
local are_new = #guards > 1 and redis.call('EXISTS', unpack(guards)) == 0
local others = {}
for _, key in ipairs(guards) do
  local found = not are_new and redis.pcall('GET', key)
  local mark = not found and '0' or type(found) == 'string' and string.match(found, '^(%d+);[^;]*;$')
  local is_set = false
  if mark and #mark < 18 then
    local expiry = text(math.max(tonumber(mark), till + mark_ms))
    is_set = not redis.pcall('SET', key, mark .. ';;' .. fence, 'PXAT', expiry).err
  end
  if not is_set then others[#others + 1] = key end
end
local fence_till, held_till, new_mark = till, 0, 0
--include parts/change-others
local channel, message = ARGV[5], ARGV[6]
--include parts/publish
return { removed, { announced, current } }
