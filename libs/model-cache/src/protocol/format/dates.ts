/** The time of a valid date, in milliseconds; NaN for anything else. */
export function timeOf(value: unknown): number {
  return value instanceof Date ? value.getTime() : Number.NaN
}

/** Whether a value is a date at midnight UTC. */
export function isDay(value: unknown): boolean {
  return timeOf(value) % (24 * 60 * 60 * 1_000) === 0
}
