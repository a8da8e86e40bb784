/** Makes a failing list of steps smaller. */

/**
 * Leaves out steps, and parts of the last one, as long as what is left still fails.
 *
 * @param fixed - keys of a step that stay as they are
 * @param required - keys whose values get smaller, but are not left out
 */
export async function shrink<Step>(
  steps: readonly Step[],
  fails: (candidate: readonly Step[]) => Promise<boolean>,
  { fixed, required }: { readonly fixed: readonly string[]; readonly required: readonly string[] },
): Promise<readonly Step[]> {
  let smallest = steps
  const shows = async (candidate: readonly Step[]): Promise<boolean> => {
    if (!(await fails(candidate))) return false
    smallest = candidate
    return true
  }
  for (let size = Math.ceil(smallest.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < smallest.length - 1;) {
      const rest = [...smallest.slice(0, from), ...smallest.slice(Math.min(from + size, smallest.length - 1))]
      if (!(await shows(rest))) from += size
    }
  }
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false
    for (const smaller of smallerOf(smallest.at(-1), new Set(fixed), new Set(required))) {
      if (await shows([...smallest.slice(0, -1), smaller as Step])) {
        isSmaller = true
        break
      }
    }
  }
  return smallest
}

/** The same value with one thing less. */
function* smallerOf(
  value: unknown,
  fixed: ReadonlySet<string>,
  required: ReadonlySet<string>,
): Generator<unknown> {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) yield value.toSpliced(index, 1)
    for (const [index, item] of value.entries()) {
      for (const smaller of smallerOf(item, fixed, required)) yield value.with(index, smaller)
    }
  } else if (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype
  ) {
    const entries = Object.entries(value).filter(([key]) => !fixed.has(key))
    for (const [key] of entries) {
      if (required.has(key)) continue
      const { [key]: _, ...rest } = value as Record<string, unknown>
      yield rest
    }
    for (const [key, inner] of entries) {
      for (const smaller of smallerOf(inner, fixed, required)) yield { ...value, [key]: smaller }
    }
  }
}
