import type { ValkeyClient } from './valkey-client.js'

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
const library = `
local t = redis.call('TIME')
local us = t[1] * 1000000 + t[2]
local now = math.floor(us / 1000)
local removed = 0
local function text(n) return string.format('%.0f', n) end

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

const scripts = {
  /** ARGV: token, leaseMs, onlyAbsent, onlyUnmarked. Replies with a lease or a refusal for each row. */
  mcLease: `${library}
local mark_ms = tonumber(ARGV[2])
local granted = ARGV[1] .. '@' .. text(us + mark_ms * 1000)
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

  /** ARGV: lease, value, ttlMs for each row. Replies with 1 for each value that was written, otherwise 0. */
  mcFill: `${library}
local out = {}
for i = 1, #KEYS, 2 do
  local a = (i - 1) / 2 * 3
  local mine, mark, found = end_lease(KEYS[i], ARGV[a + 1])
  if mine then
    redis.call('SET', KEYS[i + 1], ARGV[a + 2], 'PX', ARGV[a + 3])
    write_guard(KEYS[i], mark, '', {}, 0, 0, found, false)
  end
  out[#out + 1] = mine and 1 or 0
end
return { removed, out }`,

  /** ARGV: lease. */
  mcReleaseLeases: `${library}
for i = 1, #KEYS, 2 do
  local mine, mark, found = end_lease(KEYS[i], ARGV[1])
  if mine then write_guard(KEYS[i], mark, '', {}, 0, 0, found, false) end
end
return { removed, 1 }`,

  /** ARGV: token, fenceMs, markMs. */
  mcFence: `${library}
local mark_ms = tonumber(ARGV[3])
for i = 1, #KEYS, 2 do
  local mark, _, kept, last, held, found = read_guard(KEYS[i], ARGV[1], mark_ms)
  if held > 0 then last = add_fence(kept, last, 'held', held) end
  last = add_fence(kept, last, ARGV[1], now + tonumber(ARGV[2]))
  if KEYS[i + 1] then redis.call('UNLINK', KEYS[i + 1]) end
  write_guard(KEYS[i], mark, '', kept, last, mark_ms, found, true)
end
return { removed, 1 }`,

  /** ARGV: token, holdMs, markMs. */
  mcReleaseFences: `${library}
local hold_ms, mark_ms = tonumber(ARGV[2]), tonumber(ARGV[3])
for i = 1, #KEYS, 2 do
  local mark, _, kept, last, held, found = read_guard(KEYS[i], ARGV[1], mark_ms)
  if hold_ms > 0 then held = math.max(held, now + hold_ms) end
  if held > 0 then last = add_fence(kept, last, 'held', held) end
  if KEYS[i + 1] then redis.call('UNLINK', KEYS[i + 1]) end
  write_guard(KEYS[i], math.max(mark, now + mark_ms), '', kept, last, mark_ms, found, hold_ms > 0)
end
return { removed, 1 }`,

  /** KEYS: register. ARGV: kind, scope, seed of epochs, markMs, token or fingerprint, milliseconds. */
  mcChange: `${library}
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
   * KEYS: the hash of entries, the catalogue epoch. ARGV: known version, seed of epochs, whether the caller writes, the number of entries to
   * remove, these as field and putMs, then entries to put as field and text. Fields that begin with '=' are the catalogue's own.
   */
  mcCatalogue: `${library}
local hash = KEYS[1]
if not string.find('none hash', redis.call('TYPE', hash).ok, 1, true) then
  redis.call('UNLINK', hash)
  removed = removed + 1
end
local epoch, held = redis.call('HGET', hash, '=word'), get(KEYS[2])
if not epoch or epoch ~= held then
  if epoch or held then redis.call('HSET', hash, '=written', '1') end
  -- Includes the time: a command that runs twice must not bring back the epoch of its first run.
  epoch = string.sub(redis.sha1hex(ARGV[2] .. text(us)), 1, 16)
  redis.call('HSET', hash, '=word', epoch)
  redis.call('SET', KEYS[2], epoch)
end
local written = redis.call('HGET', hash, '=written')
local changes, place = 0, 5
for i = 1, tonumber(ARGV[4]) do
  local entry = redis.call('HGET', hash, ARGV[place])
  if entry and string.match(entry, '^%d+;(%d+);') == ARGV[place + 1] then
    redis.call('HDEL', hash, ARGV[place])
    changes = changes + 1
  end
  place = place + 2
end
for i = place, #ARGV, 2 do
  local entry = redis.call('HGET', hash, ARGV[i])
  local added = entry and string.match(entry, '^(%d+);')
  if not entry then changes = changes + 1 end
  local put = math.max(now, entry and number(string.match(entry, '^%d+;(%d+);') or '0') + 1 or 0)
  redis.call('HSET', hash, ARGV[i], (added or (written and text(now) or '0')) .. ';' .. text(put) .. ';' .. ARGV[i + 1])
end
if changes > 0 then redis.call('HINCRBY', hash, '=changes', changes) end
local isCurrent = ARGV[1] == '' or string.sub(ARGV[1], 1, #epoch + 1) == epoch .. '.'
if ARGV[3] == '1' and isCurrent and not written then redis.call('HSET', hash, '=written', '1') end
local version = epoch .. '.' .. (redis.call('HGET', hash, '=changes') or '0')
local reply = { epoch, version, text(now) }
if version ~= ARGV[1] then reply[4] = redis.call('HGETALL', hash) end
return { removed, reply }`,
}

export type Script = keyof typeof scripts

type Run = (keyCount: number, ...keysAndArguments: string[]) => Promise<unknown>

/** The number of keys of another type that the script removed, and its reply. */
export type ScriptReply = readonly [removed: number, reply: unknown]

/** Defines the scripts on a client, which sends their digest, or their text if the server does not have them, as after a restart. */
export function defineScripts(client: ValkeyClient): void {
  for (const [name, lua] of Object.entries(scripts)) client.defineCommand(name, { lua })
}

export function runScript(
  client: ValkeyClient,
  script: Script,
  keys: readonly string[],
  args: readonly string[],
): Promise<ScriptReply> {
  const run = (client as unknown as Record<Script, Run>)[script]
  return run.call(client, keys.length, ...keys, ...args) as Promise<ScriptReply>
}
