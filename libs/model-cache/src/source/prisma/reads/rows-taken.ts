/** A `take` from here on lets all rows through: caches find fewer for a query. */
const endless = 2 ** 31

/**
 * Returns how many rows a `take` lets through at most, or a `skip` leaves out; undefined if only Prisma can tell. It takes from the end
 * below zero, and sends the lowest 32 bits of larger numbers: of `Number.MAX_SAFE_INTEGER`, which applications write for "all", these are
 * 4,294,967,295, but none of 2 ** 40.
 */
export function rowsTaken(take: unknown): number | undefined {
  if (!Number.isSafeInteger(take) || (take as number) < 0) return undefined
  if ((take as number) < endless) return take as number
  return (take as number) % 2 ** 32 >= endless ? Infinity : undefined
}
