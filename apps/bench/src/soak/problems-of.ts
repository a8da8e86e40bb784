import type { SoakMeasurements } from './soak-measurements.ts'

/** The heap may seem to grow by this much, in kB per minute, beyond three times the error of its slope: 14 MB in a day. */
const TOLERATED_KB_PER_MINUTE = 10

/** Of a shorter soak the slope is that of a process which warms up. */
const TELLING_MINUTES = 5

/** Why a soak has failed: errors, a heap that grows, handles that nobody closes. */
export function problemsOf(soak: Omit<SoakMeasurements, 'problems'>): string[] {
  const { errors, firstError, heapKbPerMinute, heapKbPerMinuteError, handlesAtStart, handlesAtEnd, minutes } =
    soak
  const problems: string[] = []
  if (errors > 0) problems.push(`${errors} reads failed, the first: ${firstError}`)
  const growth = heapKbPerMinute - 3 * heapKbPerMinuteError
  if (minutes >= TELLING_MINUTES && growth > TOLERATED_KB_PER_MINUTE) {
    problems.push(
      `the heap grows by ${heapKbPerMinute.toFixed(0)} ± ${heapKbPerMinuteError.toFixed(0)} kB per minute`,
    )
  }
  for (const [type, count] of Object.entries(handlesAtEnd)) {
    const before = handlesAtStart[type] ?? 0
    if (count > before) problems.push(`${count} open handles of ${type}, ${before} at the start`)
  }
  return problems
}
