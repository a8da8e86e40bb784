-- KEYS: the hash of entries, the catalogue epoch, the witness. ARGV: known version, seed of epochs, whether the caller writes, whether
-- replicas have to acknowledge what it reads, the number of entries to remove, these as field and putMs, then entries to put as field and
-- text. Fields that begin with '=' are the catalogue's own.

-- Nearly always a writer asks whether anything has changed, and nothing has.
if ARGV[3] == '1' and ARGV[4] == '0' and #ARGV == 5 and ARGV[1] ~= '' then
  local hash, word, known = KEYS[1], KEYS[2], ARGV[1]
  --include parts/catalogue-check
  if is_current then
    local t, epoch = redis.call('TIME'), string.match(ARGV[1], '^[^.]+')
    return { 0, { epoch, ARGV[1], string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000)) } }
  end
end
--include parts/clock
--include parts/library
local hash = KEYS[1]
if not string.find('none hash', redis.call('TYPE', hash).ok, 1, true) then
  redis.call('UNLINK', hash)
  removed = removed + 1
end
local epoch, held = redis.call('HGET', hash, '=word'), get(KEYS[2])
if not epoch or epoch ~= held then
  local is_lost = epoch or held
  if not is_lost then
    local witness = KEYS[3]
    --include parts/new-catalogue
  end
  -- A caller that has known a catalogue finds that all of it was lost, and fences may have been lost with it.
  if is_lost or ARGV[1] ~= '' then redis.call('HSET', hash, '=written', '1') end
  -- Includes the time: a command that runs twice must not bring back the epoch of its first run.
  epoch = string.sub(redis.sha1hex(ARGV[2] .. text(us)), 1, 16)
  redis.call('HSET', hash, '=word', epoch)
  redis.call('SET', KEYS[2], epoch)
end
-- Replicas acknowledge what the caller has written, and everything before it.
if ARGV[4] == '1' then redis.call('SET', KEYS[2], epoch) end
local written = redis.call('HGET', hash, '=written')
local changes, place = 0, 6
for i = 1, tonumber(ARGV[5]) do
  local entry = redis.call('HGET', hash, ARGV[place])
  if entry and string.match(entry, '^%d+;(%d+);') == ARGV[place + 1] then
    redis.call('HDEL', hash, ARGV[place])
    changes = changes + 1
  end
  place = place + 2
end
for i = place, #ARGV, 2 do
  local entry = redis.call('HGET', hash, ARGV[i])
  if not entry then changes = changes + 1 end
  local put = math.max(now, entry and number(string.match(entry, '^%d+;(%d+);') or '0') + 1 or 0)
  local added = entry and string.match(entry, '^(%d+);') or written and text(now) or '0'
  redis.call('HSET', hash, ARGV[i], added .. ';' .. text(put) .. ';' .. ARGV[i + 1])
end
if changes > 0 then redis.call('HINCRBY', hash, '=changes', changes) end
local isCurrent = ARGV[1] == '' or string.sub(ARGV[1], 1, #epoch + 1) == epoch .. '.'
if ARGV[3] == '1' and isCurrent and not written then redis.call('HSET', hash, '=written', '1') end
local reply = { epoch, epoch .. '.' .. (redis.call('HGET', hash, '=changes') or '0'), text(now) }
-- What has been put again since it was read is not removed: the caller needs its time.
if reply[2] ~= ARGV[1] or ARGV[5] ~= '0' then reply[4] = redis.call('HGETALL', hash) end
return { removed, reply }
