-- The time in microseconds and in milliseconds, and the number of keys that the script has removed because they held no string.
local t, removed = redis.call('TIME'), 0
local us = t[1] * 1000000 + t[2]
local now = math.floor(us / 1000)
local function text(n) return string.format('%.0f', n) end
