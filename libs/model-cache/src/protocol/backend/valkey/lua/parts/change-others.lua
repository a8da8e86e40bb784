-- Changes the guards that hold more than most do, those of `others`. A fence, held rows and a mark last until a time, or are 0:
-- `fence_till`, `held_till`, `new_mark`.
if #others > 0 then
  --include parts/library
  for _, key in ipairs(others) do
    local guard = read_guard(key, ARGV[1], mark_ms)
    guard.held_till = math.max(guard.held_till, held_till)
    if guard.held_till > 0 then add_fence(guard, 'held', guard.held_till) end
    if fence_till > 0 then add_fence(guard, ARGV[1], fence_till) end
    guard.mark, guard.lease = math.max(guard.mark, new_mark), ''
    write_guard(key, guard, mark_ms, fence_till + held_till > 0)
  end
end
