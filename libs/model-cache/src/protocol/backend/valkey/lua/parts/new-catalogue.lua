-- Notes at the key `servers` that this server is live, which holds nothing yet of a catalogue.
--include parts/checked-servers
hold(servers, 'hash')
local facts = own_facts()
if facts then
  note_live(servers, facts)
  redis.pcall('HSET', servers, '=time', text(second))
end
