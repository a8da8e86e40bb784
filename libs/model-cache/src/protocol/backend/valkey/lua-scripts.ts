import { checkWitness, witnessOfNewCatalogue } from './witness-lua.js'

/**
 * The commands that must be atomic, as Lua scripts. Each takes many keys of one cluster slot. A script that leases 64 rows costs the client
 * a quarter of the processor time of 64 `SET … NX GET PX`, and the server nine tenths; one that fills 64 rows costs the client a fifth of
 * 64 single scripts, and the server half. In one pipeline, native leases would cost the server half as much and the client twice as much,
 * and the client is busier. No native command sets one key if another holds a token. So all servers from Redis 7 on run the same
 * scripts; `npm run bench -- write` measures them.
 *
 * KEYS alternate guards and values; for fences, a guard may stand alone. guards.ts describes guards, and Store what each script does.
 * Each script returns the number of keys that it removed because they did not hold a string, and its reply.
 */
const clock = `
local t, removed = redis.call('TIME'), 0
local us = t[1] * 1000000 + t[2]
local now = math.floor(us / 1000)
local function text(n) return string.format('%.0f', n) end
`

/** Comes after what most calls need, because the server creates these functions again in each call. */
const library = `
-- Foreign text may have too many digits; the library's numbers never do.
local function number(digits)
  return #digits < 18 and tonumber(digits) or 0
end

local function get(key)
  local value = redis.pcall('GET', key)
  if type(value) ~= 'table' then return value end
  if not string.find(value.err, 'WRONGTYPE', 1, true) then error(value) end
  redis.call('UNLINK', key)
  removed = removed + 1
  return false
end

-- The fences that have not expired, their latest deadline, the mark of the expired ones, and the deadline of held rows.
local function read_fences(fenced, token, mark_ms)
  local kept, last, mark, held = {}, 0, 0, 0
  for name, till in string.gmatch(fenced, '([^%s@]+)@(%d+)') do
    local at = number(till)
    if at <= now then mark = math.max(mark, at + mark_ms)
    elseif name == 'held' then held = math.max(held, at)
    elseif name ~= token then
      kept[#kept + 1] = name .. '@' .. till
      last = math.max(last, at)
    end
  end
  return kept, last, mark, held
end

local function add_fence(kept, last, name, till)
  kept[#kept + 1] = name .. '@' .. text(till)
  return math.max(last, till)
end

local function lease_until(lease)
  return lease == '' and 0 or number(string.match(lease, '@(%d+)$') or '0')
end

-- Mark, lease, fences without that of the token, their latest deadline, the deadline of held rows, and the text.
local function read_guard(key, token, mark_ms)
  local found = get(key)
  if not found then return 0, '', {}, 0, 0, found end
  local mark, lease, fenced = string.match(found, '^(%d+);([^;]*);([^;]*)$')
  if not mark then return 0, '', {}, 0, 0, found end
  local kept, last, expired, held = read_fences(fenced, token, mark_ms)
  if lease_until(lease) <= us then lease = '' end
  return math.max(number(mark), expired), lease, kept, last, held, found
end

-- A server that is out of memory accepts no new guard. It can still delete one with a lease; fences expire by themselves.
local function write_guard(key, mark, lease, kept, last, mark_ms, found, is_needed)
  local till = math.max(mark, math.ceil(lease_until(lease) / 1000))
  if #kept > 0 then till = math.max(till, last + mark_ms) end
  if till <= now then
    if found then redis.call('DEL', key) end
    return
  end
  local guard = text(mark) .. ';' .. lease .. ';' .. table.concat(kept, ' ')
  local reply = redis.pcall('SET', key, guard, 'PXAT', text(till))
  if not reply.err then return end
  if found and string.find(found, '^%d+;[^;]+;') then redis.call('DEL', key) end
  if is_needed then error(reply) end
end

local function end_lease(key, lease)
  local mark, held_lease, _, _, _, found = read_guard(key, '', 0)
  if held_lease ~= lease then return false end
  return true, mark, found
end
`

/** Removes the values among the first keys; `guards` are the others. */
const removeValues = (count: string): string => `
local guards, values = {}, {}
for i = 1, ${count}, 2 do
  guards[#guards + 1] = KEYS[i]
  values[#values + 1] = KEYS[i + 1]
end
if #values > 0 then redis.call('UNLINK', unpack(values)) end
`

/** Changes the guards that hold more than most do, those of `others`. A fence, held rows and a mark last until a time, if not 0. */
const changeOthers = (last: Record<'fenceTill' | 'heldTill' | 'mark', string>): string => `
if #others > 0 then
  ${library}
  local fence_till, held_till = ${last.fenceTill}, ${last.heldTill}
  for _, key in ipairs(others) do
    local mark, _, kept, last, held, found = read_guard(key, ARGV[1], mark_ms)
    held = math.max(held, held_till)
    if held > 0 then last = add_fence(kept, last, 'held', held) end
    if fence_till > 0 then last = add_fence(kept, last, ARGV[1], fence_till) end
    write_guard(key, math.max(mark, ${last.mark}), '', kept, last, mark_ms, found, fence_till + held_till > 0)
  end
end
`

/** `announced` is 0 if the user may not publish. A fence stands nevertheless. */
const publish = (channel: string, message: string): string => `
local announced = 1
if ${channel} then
  local reply = redis.pcall('PUBLISH', ${channel}, ${message})
  if type(reply) ~= 'number' then
    if not string.find(reply.err, 'ACL failure', 1, true) and not string.find(reply.err, 'NOPERM', 1, true) then error(reply) end
    announced = 0
  end
end
`

/** `is_current`: whether a writer that knows a version of the catalogue knows it as it is, and the catalogue knows of writers. */
const catalogueCheck = (hash: string, word: string, known: string): string => `
local own, held = redis.pcall('HMGET', ${hash}, '=word', '=written', '=changes'), redis.pcall('GET', ${word})
local is_current = not own.err and own[1] and own[1] == held and own[2] and ${known} == held .. '.' .. (own[3] or '0')
`

export const scripts = {
  /**
   * ARGV: token, leaseMs, onlyAbsent, onlyUnmarked. Replies with a lease or a refusal for each row, or with one lease if all rows get it
   * and had neither value nor guard: that takes one command for a row instead of three.
   */
  mcLease: `${clock}
local mark_ms = tonumber(ARGV[2])
local granted = ARGV[1] .. '@' .. text(us + mark_ms * 1000)
if redis.call('EXISTS', unpack(KEYS)) == 0 then
  local guard, till = '0;' .. granted .. ';', text(math.ceil(us / 1000 + mark_ms))
  for i = 1, #KEYS, 2 do redis.call('SET', KEYS[i], guard, 'PXAT', till) end
  return { removed, granted }
end
${library}
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
return { removed, out }`,

  /**
   * ARGV: lease, value, ttlMs for each row. Replies with 1 for each value that was written, otherwise 0; with one 1 if all were. Most guards
   * hold the lease and nothing else.
   */
  mcFill: `
local guards = {}
for i = 1, #KEYS, 2 do guards[#guards + 1] = KEYS[i] end
local held, ended, mine, out, refused = redis.call('MGET', unpack(guards)), {}, {}, {}, 0
for n, guard in ipairs(guards) do
  mine[n] = held[n] == '0;' .. ARGV[n * 3 - 2] .. ';'
  if mine[n] then ended[#ended + 1] = guard end
end
if #ended > 0 then redis.call('DEL', unpack(ended)) end
if #ended == #guards then
  for n = 1, #guards do redis.call('SET', KEYS[n * 2], ARGV[n * 3 - 1], 'PX', ARGV[n * 3]) end
  return { 0, 1 }
end
${clock}${library}
for n, guard in ipairs(guards) do
  local mark, found
  if not mine[n] then mine[n], mark, found = end_lease(guard, ARGV[n * 3 - 2]) end
  if mine[n] then redis.call('SET', KEYS[n * 2], ARGV[n * 3 - 1], 'PX', ARGV[n * 3]) else refused = refused + 1 end
  if found then write_guard(guard, mark, '', {}, 0, 0, found, false) end
  out[n] = mine[n] and 1 or 0
end
return { removed, refused == 0 and 1 or out }`,

  /** ARGV: lease. */
  mcReleaseLeases: `${clock}${library}
for i = 1, #KEYS, 2 do
  local mine, mark, found = end_lease(KEYS[i], ARGV[1])
  if mine then write_guard(KEYS[i], mark, '', {}, 0, 0, found, false) end
end
return { removed, 1 }`,

  /**
   * ARGV: token, fenceMs, markMs, a version of the catalogue or '', then a channel and a message, if any. With a version, the last two KEYS
   * are those of the catalogue. Replies with a list: 1, or 0 if it may not publish, and the time if the catalogue has this version.
   */
  mcFence: `${clock}
local till, mark_ms = now + tonumber(ARGV[2]), tonumber(ARGV[3])
local last_row, current = #KEYS, false
if ARGV[4] ~= '' then
  last_row = #KEYS - 2
  ${catalogueCheck('KEYS[#KEYS - 1]', 'KEYS[#KEYS]', 'ARGV[4]')}
  current = is_current and text(now)
end
${removeValues('last_row')}
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
${changeOthers({ fenceTill: 'till', heldTill: '0', mark: '0' })}
${publish('ARGV[5]', 'ARGV[6]')}
return { removed, { announced, current } }`,

  /** ARGV: token, holdMs, markMs, then a channel and a message, if any. Replies with a list of 1, or of 0 if it may not publish. */
  mcReleaseFences: `${clock}
local hold_ms, mark_ms = tonumber(ARGV[2]), tonumber(ARGV[3])
${removeValues('#KEYS')}
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
${changeOthers({ fenceTill: '0', heldTill: 'hold_ms > 0 and now + hold_ms or 0', mark: 'now + mark_ms' })}
${publish('ARGV[4]', 'ARGV[5]')}
return { removed, { announced } }`,

  /** KEYS: a value. Writes first, so that replicas acknowledge the removal also if there was none any more. */
  mcRemove: `
redis.call('SET', KEYS[1], '')
redis.call('UNLINK', KEYS[1])
return { 0, 1 }`,

  /** KEYS: register. ARGV: kind, scope, seed of epochs, markMs, token or fingerprint, milliseconds. */
  mcChange: `${clock}${library}
local kind, scope, name, span = ARGV[1], ARGV[2], ARGV[5], tonumber(ARGV[6])
local mark_ms = tonumber(ARGV[4])
-- Includes the time: a command that runs twice must not bring back the epoch of its first run.
local newest = string.sub(redis.sha1hex(ARGV[3] .. text(us)), 1, 16)
local epoch, membership, mark, of_all, of_membership, printed =
  string.match(get(KEYS[1]) or '', '^([^;]+);([^;]+);(%d+);([^;]*);([^;]*);([^;]*)$')
epoch, membership, mark = epoch or newest, membership or newest, number(mark or '0')
local prints = {}
for print, till in string.gmatch(printed or '', '([^%s@]+)@(%d+)') do
  if number(till) > now and not (kind == 'join' and print == name) then prints[#prints + 1] = print .. '@' .. till end
end
local function fences(fenced, is_changed)
  local kept, last, expired, held = read_fences(fenced or '', is_changed and name or '', mark_ms)
  if is_changed and kind == 'release' and span > 0 then held = math.max(held, now + span) end
  if held > 0 then add_fence(kept, last, 'held', held) end
  if is_changed and kind == 'fence' then add_fence(kept, last, name, now + span) end
  return table.concat(kept, ' '), expired
end
if kind == 'join' then
  prints[#prints + 1] = name .. '@' .. text(now + span)
else
  membership = newest
  if scope == 'all' then epoch = newest end
end
local all, expired = fences(of_all, scope == 'all')
mark = math.max(mark, expired)
if kind == 'release' and scope == 'all' then mark = math.max(mark, now + mark_ms) end
local register = table.concat({ epoch, membership, text(mark), all,
  (fences(of_membership, scope == 'membership')), table.concat(prints, ' ') }, ';')
redis.call('SET', KEYS[1], register)
return { removed, { register, text(now) } }`,

  /**
   * KEYS: the hash of entries, the catalogue epoch, the witness. ARGV: known version, seed of epochs, whether the caller writes, whether
   * replicas have to acknowledge what it reads, the number of entries to remove, these as field and putMs, then entries to put as field and
   * text. Fields that begin with '=' are the catalogue's own.
   */
  mcCatalogue: `
-- Nearly always a writer asks whether anything has changed, and nothing has.
if ARGV[3] == '1' and ARGV[4] == '0' and #ARGV == 5 and ARGV[1] ~= '' then
  ${catalogueCheck('KEYS[1]', 'KEYS[2]', 'ARGV[1]')}
  if is_current then
    local t, epoch = redis.call('TIME'), string.match(ARGV[1], '^[^.]+')
    return { 0, { epoch, ARGV[1], string.format('%.0f', t[1] * 1000 + math.floor(t[2] / 1000)) } }
  end
end
${clock}${library}
local hash = KEYS[1]
if not string.find('none hash', redis.call('TYPE', hash).ok, 1, true) then
  redis.call('UNLINK', hash)
  removed = removed + 1
end
local epoch, held = redis.call('HGET', hash, '=word'), get(KEYS[2])
if not epoch or epoch ~= held then
  if epoch or held then redis.call('HSET', hash, '=written', '1') else ${witnessOfNewCatalogue('KEYS[3]')} end
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
if reply[2] ~= ARGV[1] then reply[4] = redis.call('HGETALL', hash) end
return { removed, reply }`,
  mcWitness: `${clock}${checkWitness}`,
}
