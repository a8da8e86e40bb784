import type { ValkeyClient } from './valkey-client.js'

/**
 * What has to be one step on the server, as Lua. Each takes many keys of one cluster slot. A script that leases 64 rows takes a quarter of
 * the client's processor time of as many `SET … NX GET PX`, and nine tenths of the server's; one that fills 64 rows takes a fifth of a
 * script for each, and half of the server's. In one pipeline native leases would take half of the server's time, and twice the
 * client's, which has more to do; and no native command sets one key if another holds a token. So there is one way for all servers, from
 * Redis 7 on: `npm run bench -- write`.
 *
 * KEYS are guards and values in turn; for fences, it may be one guard alone. See guards.ts for what a guard holds, and Store for what each does.
 */
const now = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function ms(n) return string.format('%.0f', n) end
`

/** The fences in a text that are not over, without that of a token, and the last of them. */
const otherFences = `
local function others(text, token)
  local kept, last = {}, 0
  for name, till in string.gmatch(text, '([^%s@]+)@(%d+)') do
    local at = tonumber(till)
    if at > now and name ~= token then
      kept[#kept + 1] = name .. '@' .. till
      if at > last then last = at end
    end
  end
  return kept, last
end
`

/**
 * Sets a guard. A server that is out of memory takes no new one, but it can still be rid of a lease; fences that it holds end by
 * themselves.
 */
const setGuard = `
local function guard(key, held, text, forMs, isNeeded)
  local reply = redis.pcall('SET', key, text, 'PX', ms(forMs))
  if not reply.err then return end
  if held and string.sub(held, 1, 1) == 'L' then redis.call('DEL', key) end
  if isNeeded then error(reply.err) end
end
`

const scripts = {
  /** ARGV: token, leaseMs, onlyAbsent, onlyUnsettled. */
  mcLease: `
local out = {}
for i = 1, #KEYS, 2 do
  local held = redis.call('GET', KEYS[i])
  if held == 'S' and ARGV[4] == '0' then held = false end
  if not held and ARGV[3] == '1' and redis.call('EXISTS', KEYS[i + 1]) == 1 then held = 'V' end
  if not held then redis.call('SET', KEYS[i], 'L' .. ARGV[1], 'PX', ARGV[2]) end
  out[#out + 1] = held
end
return out`,

  /** ARGV: token, value, ttlMs of each. */
  mcFill: `
local out = {}
for i = 1, #KEYS, 2 do
  local a = (i - 1) / 2 * 3
  local mine = redis.call('GET', KEYS[i]) == 'L' .. ARGV[a + 1]
  if mine then
    redis.call('SET', KEYS[i + 1], ARGV[a + 2], 'PX', ARGV[a + 3])
    redis.call('DEL', KEYS[i])
  end
  out[#out + 1] = mine and 1 or 0
end
return out`,

  /** ARGV: token. */
  mcRelease: `
for i = 1, #KEYS, 2 do
  if redis.call('GET', KEYS[i]) == 'L' .. ARGV[1] then redis.call('DEL', KEYS[i]) end
end
return 1`,

  /** ARGV: token, fenceMs. */
  mcFence: `${now}${otherFences}${setGuard}
for i = 1, #KEYS, 2 do
  local held = redis.call('GET', KEYS[i])
  local kept, last = {}, 0
  if held and string.sub(held, 1, 1) == 'F' then kept, last = others(string.sub(held, 2), ARGV[1]) end
  local till = now + tonumber(ARGV[2])
  kept[#kept + 1] = ARGV[1] .. '@' .. ms(till)
  if till > last then last = till end
  if KEYS[i + 1] then redis.call('UNLINK', KEYS[i + 1]) end
  guard(KEYS[i], held, 'F' .. table.concat(kept, ' '), last - now, true)
end
return 1`,

  /** ARGV: token, holdMs, settledMs. */
  mcSettle: `${now}${otherFences}${setGuard}
for i = 1, #KEYS, 2 do
  local held = redis.call('GET', KEYS[i])
  local kept, last = {}, 0
  if held and string.sub(held, 1, 1) == 'F' then kept, last = others(string.sub(held, 2), ARGV[1]) end
  local hold = tonumber(ARGV[2])
  if hold > 0 then
    kept[#kept + 1] = (ARGV[1] == '' and 'held' or ARGV[1]) .. '@' .. ms(now + hold)
    if now + hold > last then last = now + hold end
  end
  if KEYS[i + 1] then redis.call('UNLINK', KEYS[i + 1]) end
  if #kept > 0 then guard(KEYS[i], held, 'F' .. table.concat(kept, ' '), last - now, hold > 0)
  else guard(KEYS[i], held, 'S', ARGV[3], false) end
end
return 1`,

  /** KEYS: register. ARGV: kind, scope, word, token or fingerprint, milliseconds. */
  mcChange: `${now}${otherFences}
local kind, scope, word, name, span = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5])
local epoch, membership, of_all, of_membership, printed =
  string.match(redis.call('GET', KEYS[1]) or '', '^([^;]+);([^;]+);([^;]*);([^;]*);([^;]*)$')
epoch, membership = epoch or word, membership or word
local prints, joined, others_joined = {}, nil, false
for print, at, till in string.gmatch(printed or '', '([^%s@]+)@(%d+)@(%d+)') do
  if tonumber(till) > now then
    others_joined = true
    if kind == 'join' and print == name then joined = at
    else prints[#prints + 1] = print .. '@' .. at .. '@' .. till end
  end
end
local function fences(text, changed)
  local kept = others(text or '', changed and name or '')
  if changed and span > 0 then kept[#kept + 1] = (name == '' and 'held' or name) .. '@' .. ms(now + span) end
  return table.concat(kept, ' ')
end
if kind == 'join' then
  joined = joined or (others_joined and ms(now) or '0')
  prints[#prints + 1] = name .. '@' .. joined .. '@' .. ms(now + span)
else
  membership = word
  if scope == 'all' then epoch = word end
end
local text = table.concat({ epoch, membership, fences(of_all, scope == 'all'),
  fences(of_membership, scope == 'membership'), table.concat(prints, ' ') }, ';')
redis.call('SET', KEYS[1], text)
return { text, ms(now) }`,

  /**
   * KEYS: the hash of entries, the word. ARGV: known version, new word, whether the caller writes, the number of entries to remove, these
   * as field and putMs, then entries to put as field and text. Fields that begin with '=' are the catalogue's own.
   */
  mcCatalogue: `${now}
local hash = KEYS[1]
local word, held = redis.pcall('HGET', hash, '=word'), redis.pcall('GET', KEYS[2])
if type(word) == 'table' then redis.call('DEL', hash) word = false end
if type(held) == 'table' then redis.call('DEL', KEYS[2]) held = '' end
if not word or word ~= held then
  if word or held then redis.call('HSET', hash, '=written', '1') end
  word = ARGV[2]
  redis.call('HSET', hash, '=word', word)
  redis.call('SET', KEYS[2], word)
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
  local put = math.max(now, entry and tonumber(string.match(entry, '^%d+;(%d+);')) + 1 or 0)
  redis.call('HSET', hash, ARGV[i], (added or (written and ms(now) or '0')) .. ';' .. ms(put) .. ';' .. ARGV[i + 1])
end
if changes > 0 then redis.call('HINCRBY', hash, '=changes', changes) end
local isCurrent = ARGV[1] == '' or string.sub(ARGV[1], 1, #word + 1) == word .. '.'
if ARGV[3] == '1' and isCurrent and not written then redis.call('HSET', hash, '=written', '1') end
local version = word .. '.' .. (redis.call('HGET', hash, '=changes') or '0')
if version == ARGV[1] then return { word, version, ms(now) } end
return { word, version, ms(now), redis.call('HGETALL', hash) }`,
}

export type Script = keyof typeof scripts

type Run = (keyCount: number, ...keysAndArguments: string[]) => Promise<unknown>

/** Teaches a client the scripts: it sends their digest, and their text when the server does not know them, as after a restart. */
export function defineScripts(client: ValkeyClient): void {
  for (const [name, lua] of Object.entries(scripts)) client.defineCommand(name, { lua })
}

export function runScript(
  client: ValkeyClient,
  script: Script,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const run = (client as unknown as Record<Script, Run>)[script]
  return run.call(client, keys.length, ...keys, ...args)
}
