-- The server check of a catalogue, a hash beside it: what shows that a server holds what was last written, and not what its disk had.
--
-- <run id>            the replication id with which this run of a server was last found live; "-" for one whose data is lost
-- <replication id>    when a server with this history was last found live, by its own clock
-- =time               when the server of the catalogue was
--
-- Times are seconds, and never go back. Each start of a server has another run id. A server gets another replication id when it starts or
-- is promoted, and then keeps the one that it had before as its former one. It also gets another one, and has no former one, with its first
-- replica, and an hour after its last.

local second = math.floor(now / 1000)

local function section(name)
  local reply = redis.pcall('INFO', name)
  return type(reply) == 'string' and reply or ''
end

-- Role, run id, replication id, the former one, and the seconds of the start and of now; nil if the server does not say.
local function own_facts()
  local server, replication = section('server'), section('replication')
  local run, up = string.match(server, 'run_id:(%x+)'), string.match(server, 'uptime_in_seconds:(%d+)')
  local role, id = string.match(replication, 'role:(%a+)'), string.match(replication, 'master_replid:(%x+)')
  local former = string.match(replication, 'master_replid2:(%x+)')
  if not (run and up and role and id and former) then return nil end
  return { role, run, id, former, text(second - up), text(second) }
end

local function hold(key, kind)
  local found = redis.call('TYPE', key).ok
  if found == kind or found == 'none' then return found == kind end
  redis.call('UNLINK', key)
  removed = removed + 1
  return false
end

local function time_of(key, field)
  return tonumber(redis.call('HGET', key, field) or '0') or 0
end

-- A server that is out of memory is live nevertheless, and refuses these fields.
local function note_live(key, facts)
  local time = text(math.max(tonumber(facts[6]), time_of(key, facts[3])))
  redis.pcall('HSET', key, facts[2], facts[3], facts[3], time)
end
