-- ARGV: lease.

--include parts/clock
--include parts/library
for i = 1, #KEYS, 2 do
  local guard = end_lease(KEYS[i], ARGV[1])
  if guard then write_guard(KEYS[i], guard, 0, false) end
end
return { removed, 1 }
