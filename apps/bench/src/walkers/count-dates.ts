/** Dates in a value, at any depth. */
export function countDates(value: unknown): number {
  if (value instanceof Date) return 1
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, entry) => sum + countDates(entry), 0)
}
