-- KEYS: the hash of entries, the catalogue epoch, the server check. ARGV: see the names below; then the entries to remove, as field and
-- putMs, and those to put, as field and text. Fields that begin with '=' are the catalogue's own: its epoch, `=written` once a process
-- writes, the number of `=changes`, and `=unacknowledged`, the epoch that replicas have not acknowledged.
local hash, epoch_key, servers = KEYS[1], KEYS[2], KEYS[3]
local known, seed, is_writer, must_acknowledge = ARGV[1], ARGV[2], ARGV[3] == '1', ARGV[4] == '1'
local removals, first = tonumber(ARGV[5]), 6

-- Nearly always a writer asks whether anything has changed, and nothing has.
if is_writer and not must_acknowledge and #ARGV == 5 and known ~= '' then
  --include parts/catalogue-check
  if is_current then
    local t, epoch = redis.call('TIME'), string.match(known, '^[^.]+')
    return { 0, { epoch, known, string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000)) } }
  end
end
--include parts/clock
--include parts/library
if not string.find('none hash', redis.call('TYPE', hash).ok, 1, true) then
  redis.call('UNLINK', hash)
  removed = removed + 1
end

-- The epoch that both keys have. Without it the catalogue begins a new one.
local function current_epoch()
  local epoch, stored = redis.call('HGET', hash, '=epoch'), get(epoch_key)
  if epoch and epoch == stored then return epoch end
  local is_lost = epoch or stored
  if not is_lost then
    --include parts/new-catalogue
  end
  -- A caller that has known a catalogue finds that all of it was lost, and fences may have been lost with it.
  if is_lost or known ~= '' then redis.call('HSET', hash, '=written', '1') end
  -- Includes the time: a command that runs twice must not bring back the epoch of its first run.
  epoch = string.sub(redis.sha1hex(seed .. text(us)), 1, 16)
  redis.call('HSET', hash, '=epoch', epoch)
  redis.call('SET', epoch_key, epoch)
  return epoch
end

-- Removes an entry, unless it has been put again since it was read. Returns how many were removed.
local function remove_entry(field, put_ms)
  local entry = redis.call('HGET', hash, field)
  if not entry or string.match(entry, '^%d+;(%d+);') ~= put_ms then return 0 end
  redis.call('HDEL', hash, field)
  return 1
end

-- Returns how many were added.
local function put_entry(field, described, is_written)
  local entry = redis.call('HGET', hash, field)
  local put = math.max(now, entry and number(string.match(entry, '^%d+;(%d+);') or '0') + 1 or 0)
  local added = entry and string.match(entry, '^(%d+);') or is_written and text(now) or '0'
  redis.call('HSET', hash, field, added .. ';' .. text(put) .. ';' .. described)
  return entry and 0 or 1
end

local epoch = current_epoch()
-- Replicas acknowledge what the caller has written, and everything before it.
if must_acknowledge then redis.call('SET', epoch_key, epoch) end
local is_written, changes, puts = redis.call('HGET', hash, '=written'), 0, first + 2 * removals
for i = first, puts - 1, 2 do changes = changes + remove_entry(ARGV[i], ARGV[i + 1]) end
for i = puts, #ARGV, 2 do changes = changes + put_entry(ARGV[i], ARGV[i + 1], is_written) end
if changes > 0 then redis.call('HINCRBY', hash, '=changes', changes) end
local knows_epoch = known == '' or string.sub(known, 1, #epoch + 1) == epoch .. '.'
if is_writer and knows_epoch and not is_written then redis.call('HSET', hash, '=written', '1') end
local version = epoch .. '.' .. (redis.call('HGET', hash, '=changes') or '0')
local reply = { epoch, version, text(now) }
-- What has been put again since it was read is not removed: the caller needs its time.
if version ~= known or removals > 0 then reply[4] = redis.call('HGETALL', hash) end
return { removed, reply }
