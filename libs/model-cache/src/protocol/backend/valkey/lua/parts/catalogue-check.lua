-- `is_current`: whether a writer that knows a version of the catalogue, `known`, knows it as it is, and the catalogue knows of writers.
-- The keys of the catalogue are `hash` and `word`.
local own, held = redis.pcall('HMGET', hash, '=word', '=written', '=changes'), redis.pcall('GET', word)
local is_current = not own.err and own[1] and own[1] == held and own[2] and known == held .. '.' .. (own[3] or '0')
