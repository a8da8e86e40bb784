-- KEYS: none, for what the server says of itself; or the hash of entries, the catalogue epoch, the server check. ARGV: the names below, the
-- run id and the time being those of the caller's last answer, or ''; then what another node has said of itself, if any.
--
-- Replies with what the server says of itself; or with a finding, the catalogue epoch or '', the time, the run id, and 1 if replicas have to
-- acknowledge the epoch. A finding is `unknown` (the server does not say), `slave`, `new` (there is no catalogue), `empty` (there was
-- one), `live` or `old`.
local seed, last_run, last_time, acknowledged = ARGV[1], ARGV[2], tonumber(ARGV[3]) or 0, ARGV[4]

--include parts/clock
--include parts/checked-servers
-- Times in seconds: how far the clocks of two servers may be apart; after which the server check is renewed; for how long after that a run
-- counts whose replication id has changed without a former one; the life of fields of servers that are gone. These are removed once there
-- are more fields than `max_fields`.
local margin, renewal, field_life, max_fields = 10, 60, 86400, 1000
local change = 5 * renewal
local own = own_facts()
if not own then return { removed, { 'unknown' } } end
if #KEYS == 0 or own[1] ~= 'master' then return { removed, own } end
local hash, epoch_key, key = KEYS[1], KEYS[2], KEYS[3]
local has_hash, has_epoch = hold(hash, 'hash'), hold(epoch_key, 'string')
hold(key, 'hash')

-- A run whose history was replaced by that of another server, while it was its replica, is no proof.
local function is_live(facts)
  local found = redis.call('HGET', key, facts[2])
  if found and (found == facts[3] or found == facts[4]) then return true end
  if found and not string.find(facts[4], '[^0]') and time_of(key, found) + change > tonumber(facts[6]) then return true end
  for i = 3, 4 do
    if time_of(key, facts[i]) > tonumber(facts[5]) + margin then return true end
  end
  return false
end

local function forget_others()
  local held = redis.call('HGETALL', key)
  local times = {}
  for i = 1, #held, 2 do times[held[i]] = #held[i + 1] < 20 and tonumber(held[i + 1]) or nil end
  for i = 1, #held > 2 * max_fields and #held or 0, 2 do
    local time = times[held[i]] or times[held[i + 1]] or 0
    if time < second - field_life then redis.call('HDEL', key, held[i]) end
  end
end

local function renew(facts)
  local found = redis.call('HGET', key, facts[2])
  if found == facts[3] and time_of(key, facts[3]) + renewal > tonumber(facts[6]) then return end
  note_live(key, facts)
  if not found then forget_others() end
end

-- Entries count as new: caches store nothing until writes have ended whose fences were lost.
local function begin_epoch()
  local held = redis.call('HGETALL', hash)
  for i = 1, #held, 2 do
    local rest = string.match(held[i + 1], '^%d+(;%d+;.*)$')
    if rest and string.sub(held[i], 1, 1) ~= '=' then redis.call('HSET', hash, held[i], text(now) .. rest) end
  end
  -- Includes the time: a command that runs twice must not bring back the epoch of its first run.
  local epoch = string.sub(redis.sha1hex(seed .. text(us)), 1, 16)
  redis.call('HSET', hash, '=epoch', epoch, '=written', '1', '=unacknowledged', epoch)
  redis.call('SET', epoch_key, epoch)
end

local other = #ARGV > 4 and { ARGV[5], ARGV[6], ARGV[7], ARGV[8], ARGV[9], ARGV[10] } or nil
local is_another = last_run ~= '' and last_run ~= own[2]
-- What the caller has seen at another run may have gone with it, and what is here may have come since.
local is_lost = is_another and not redis.call('HGET', key, last_run)
local finding = 'live'
if not has_hash and not has_epoch then
  finding = 'new'
  if is_another then
    finding = 'empty'
    redis.call('HSET', hash, '=written', '1')
  end
elseif is_lost or not is_live(own) or time_of(key, '=time') < last_time then finding = 'old'
elseif other and not is_live(other) and redis.call('HGET', hash, '=written') then finding = 'old'
end
if finding == 'old' then begin_epoch() end
if is_lost then redis.pcall('HSET', key, last_run, '-') end
renew(own)
if other then renew(other) end
if time_of(key, '=time') + renewal <= second or last_time == 0 then
  redis.pcall('HSET', key, '=time', text(math.max(second, time_of(key, '=time'))))
end
local epoch, pending = redis.call('HGET', hash, '=epoch'), redis.call('HGET', hash, '=unacknowledged')
if epoch ~= redis.call('GET', epoch_key) then epoch = false end
if pending and pending == acknowledged then
  redis.call('HDEL', hash, '=unacknowledged')
  pending = false
end
-- Replicas acknowledge what the caller has written, and everything before it.
if pending and other and epoch then redis.call('SET', epoch_key, epoch) end
return { removed, { finding, epoch or '', text(time_of(key, '=time')), own[2], pending and '1' or '0' } }
