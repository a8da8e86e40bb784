-- ARGV: lease.

--include parts/clock
--include parts/library
for i = 1, #KEYS, 2 do
  local mine, mark, found = end_lease(KEYS[i], ARGV[1])
  if mine then write_guard(KEYS[i], mark, '', {}, 0, 0, found, false) end
end
return { removed, 1 }
