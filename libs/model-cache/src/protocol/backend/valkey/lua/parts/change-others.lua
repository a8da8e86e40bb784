-- Changes the guards that hold more than most do, those of `others`. A fence, held rows and a mark last until a time, or are 0:
-- `fence_till`, `held_till`, `new_mark`.
if #others > 0 then
  --include parts/library
  for _, key in ipairs(others) do
    local mark, _, kept, last, held, found = read_guard(key, ARGV[1], mark_ms)
    held = math.max(held, held_till)
    if held > 0 then last = add_fence(kept, last, 'held', held) end
    if fence_till > 0 then last = add_fence(kept, last, ARGV[1], fence_till) end
    write_guard(key, math.max(mark, new_mark), '', kept, last, mark_ms, found, fence_till + held_till > 0)
  end
end
