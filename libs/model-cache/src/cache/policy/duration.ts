import { invalidDurationError } from '../../configuration-errors.js'

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** A hundred years; stores accept only a few digits more. */
const longestMs = 100 * 365 * 86_400_000

/** Less is refused without a unit: who writes `ttl: 10` means seconds, or minutes. */
const leastNumberMs = 1_000

/** A string such as `'500ms'`, `'30s'`, `'10m'`, `'2h'`, `'1d'`; or milliseconds, at least 1,000. */
export type Duration = number | `${number}${keyof typeof unitMs}`

/**
 * @returns whole milliseconds, at least 1
 * @throws ConfigurationError
 */
export function parseDuration(duration: Duration, model: string, option: string): number {
  const match = typeof duration === 'string' ? /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(duration) : null
  const ms = match ? Number(match[1]) * unitMs[match[2] as keyof typeof unitMs] : duration
  if (typeof ms !== 'number' || !(ms >= (match ? 1 : leastNumberMs) && ms <= longestMs))
    throw invalidDurationError(model, option, duration)
  // `1.1h` are not quite 3,960,000.
  return Math.round(ms)
}
