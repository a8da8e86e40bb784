-- KEYS: register. ARGV: kind, scope, seed of epochs, markMs, token or listing, milliseconds, then a channel and a message, if any.

--include parts/clock
--include parts/library
local kind, scope, name, span = ARGV[1], ARGV[2], ARGV[5], tonumber(ARGV[6])
local mark_ms = tonumber(ARGV[4])
-- Includes the time: a command that runs twice must not bring back the epoch of its first run.
local newest = string.sub(redis.sha1hex(ARGV[3] .. text(us)), 1, 16)
local epoch, existence, since, mark, of_all, of_existence, listed =
  string.match(get(KEYS[1]) or '', '^([^;]+);([^;]+);(%d+);(%d+);([^;]*);([^;]*);([^;]*)$')
epoch, existence, since, mark = epoch or newest, existence or newest, since or text(now), number(mark or '0')
local is_write = kind == 'fence' or kind == 'release'
local listings, life = {}, kind == 'join' and now + span
for listing, till in string.gmatch(listed or '', '([^%s@]+)@(%d+)') do
  if number(till) > now then
    if listing == name and not is_write then life = math.max(number(till), now + span)
    else listings[#listings + 1] = listing .. '@' .. till end
  end
end
if life then listings[#listings + 1] = name .. '@' .. text(life) end
local function fences(fenced, is_changed)
  local read = read_fences(fenced or '', is_changed and name or '', mark_ms)
  if is_changed and kind == 'release' and span > 0 then read.held_till = math.max(read.held_till, now + span) end
  if read.held_till > 0 then add_fence(read, 'held', read.held_till) end
  if is_changed and kind == 'fence' then add_fence(read, name, now + span) end
  return table.concat(read.kept, ' '), read.mark
end
if is_write then
  existence = newest
  if scope == 'all' then epoch = newest end
end
local all, expired = fences(of_all, scope == 'all')
mark = math.max(mark, expired)
if kind == 'release' and scope == 'all' then mark = math.max(mark, now + mark_ms) end
local register = table.concat({ epoch, existence, since, text(mark), all,
  (fences(of_existence, scope == 'existence')), table.concat(listings, ' ') }, ';')
redis.call('SET', KEYS[1], register)
local channel, message = ARGV[7], ARGV[8]
--include parts/publish
return { removed, { register, text(now), announced } }
