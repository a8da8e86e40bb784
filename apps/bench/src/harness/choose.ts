/** Picks what `--only` names; all when it names nothing. @throws when a name is unknown */
export function choose<T extends { readonly name: string }>(
  what: string,
  all: readonly T[],
  only: readonly string[],
): readonly T[] {
  const known = all.map(({ name }) => name)
  const isNamed = (one: T, name: string): boolean => one.name.toLowerCase() === name.toLowerCase()
  const unknown = only.find((name) => !all.some((one) => isNamed(one, name)))
  if (unknown !== undefined) throw new Error(`There is no ${what} "${unknown}", only ${known.join(', ')}.`)
  return only.length === 0 ? all : all.filter((one) => only.some((name) => isNamed(one, name)))
}
