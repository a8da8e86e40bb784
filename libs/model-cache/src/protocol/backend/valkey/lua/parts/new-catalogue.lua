-- Notes at the key `witness` that this server is live, which holds nothing yet of a catalogue.
--include parts/witness
hold(witness, 'hash')
local facts = own_facts()
if facts then
  testify(witness, facts)
  redis.pcall('HSET', witness, '=time', text(second))
end
