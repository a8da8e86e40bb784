-- KEYS: a value. Writes first, so that replicas acknowledge the removal also if there was none any more.

redis.call('SET', KEYS[1], '')
redis.call('UNLINK', KEYS[1])
return { 0, 1 }
