/** Divides a list into chunks of this size, the last of which may be shorter. */
export function chunksOf<T>(items: readonly T[], size: number): (readonly T[])[] {
  if (items.length <= size) return items.length > 0 ? [items] : []
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size))
}
