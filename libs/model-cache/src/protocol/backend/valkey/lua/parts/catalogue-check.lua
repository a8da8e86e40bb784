-- `is_current`: whether a writer that knows a version of the catalogue, `known`, knows it as it is, and the catalogue knows of writers.
-- The keys of the catalogue are `hash` and `epoch_key`.
local own, stored = redis.pcall('HMGET', hash, '=epoch', '=written', '=changes'), redis.pcall('GET', epoch_key)
local is_current = not own.err and own[1] and own[1] == stored and own[2] and known == stored .. '.' .. (own[3] or '0')
