-- Removes the values among the keys up to `last_row`; `guards` are the others.
local guards, values = {}, {}
for i = 1, last_row, 2 do
  guards[#guards + 1] = KEYS[i]
  values[#values + 1] = KEYS[i + 1]
end
if #values > 0 then redis.call('UNLINK', unpack(values)) end
