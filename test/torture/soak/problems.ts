import type { Slope } from '../bench/harness.ts'
import type { Course } from './course.ts'

/** Keys of the application. */
export interface Keys {
  readonly keys: number
  /** Those without an expiry. */
  readonly lasting: number
}

/** Keys that do not expire: a register of each model, and the lists of caches and of databases with the epoch and the server check of each. */
export const LASTING_KEYS = 8

/** Keys that are left when all others have expired: these, and the bookmark of the follower, which is kept for a month. */
export const LEFT_KEYS = LASTING_KEYS + 1

/** Tolerated slope of a heap beyond three times its error: 14 MB per day. */
const TOLERATED_KB_PER_MINUTE = 10
const TOLERATED_KEYS_PER_MINUTE = 1
/**
 * The slope of a process that has run for less before it is that of its compilers and pools, which warm up. In an hour, pods grew by 10 to
 * 15 kB per minute from their 12th to their 24th minute, and not after it.
 */
const WARM_UP_MINUTES = { bursts: 5, pod: 15 }
/** Keys of the workload have found their number in this time. */
const STEADY_MINUTES = 5
/** Connections of the process that follows the database; another one may do so in the end. */
const HANDLES_OF_FOLLOWER = 3

export interface Left {
  readonly minutes: number
  readonly processes: readonly Omit<Course, 'samples'>[]
  readonly keys?: Slope & {
    readonly most: number
    readonly bound: number
    readonly mostLasting: number
    readonly left?: Keys & { readonly names: readonly string[] }
  }
}

/** What grows, or is left behind. */
export function problemsOf({ keys, minutes, processes }: Left): string[] {
  const grows = ({ error, perUnit }: Slope, tolerated: number): boolean => perUnit - 3 * error > tolerated
  return [
    ...processes.flatMap(({ handlesAtEnd, handlesAtStart, heap, name, warmUpMinutes }) => [
      ...(warmUpMinutes >= WARM_UP_MINUTES[name === 'bursts' ? 'bursts' : 'pod'] &&
      grows(heap, TOLERATED_KB_PER_MINUTE)
        ? [`${name}: the heap grows by ${heap.perUnit.toFixed(0)} ± ${heap.error.toFixed(0)} kB per minute.`]
        : []),
      ...Object.entries(handlesAtEnd).flatMap(([type, count]) => {
        const before = handlesAtStart[type] ?? 0
        return count > before + (name === 'bursts' ? 0 : HANDLES_OF_FOLLOWER)
          ? [`${name}: ${count} open handles of ${type}, ${before} at first.`]
          : []
      }),
    ]),
    ...(keys ? keyProblems(keys, minutes >= STEADY_MINUTES && grows(keys, TOLERATED_KEYS_PER_MINUTE)) : []),
  ]
}

function keyProblems(keys: NonNullable<Left['keys']>, isGrowing: boolean): string[] {
  const { bound, left, most, mostLasting } = keys
  return [
    ...(isGrowing
      ? [`The store gets ${keys.perUnit.toFixed(1)} ± ${keys.error.toFixed(1)} more keys per minute.`]
      : []),
    ...(most > bound ? [`The store had ${most} keys, where ${bound} can be reached.`] : []),
    ...(mostLasting > LASTING_KEYS
      ? [`${mostLasting} keys do not expire, of ${LASTING_KEYS} that need not.`]
      : []),
    ...(left && left.keys > LEFT_KEYS
      ? [`${left.keys} keys are left when all should have expired: ${left.names.join(', ')}`]
      : []),
  ]
}
