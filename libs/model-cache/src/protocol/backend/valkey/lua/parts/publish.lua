-- Publishes `message` on `channel`, if there is one. `announced` is 0 if the user may not publish: a fence stands nevertheless.
local announced = 1
if channel then
  local reply = redis.pcall('PUBLISH', channel, message)
  if type(reply) ~= 'number' then
    if not string.find(reply.err, 'ACL failure', 1, true) and not string.find(reply.err, 'NOPERM', 1, true) then error(reply) end
    announced = 0
  end
end
