import { invalidOptionError } from '../../configuration-errors.js'

/** Bounds how many loads run at once, and how long each may take. Caches that share permits bound their loads together. */
export interface LoadPermits {
  /** Milliseconds that a call of a source may take. */
  readonly timeoutMs: number
  /**
   * Returns the permits of one cache: at most three quarters of all, so that a cache whose loads hang leaves some to the others. Caches
   * that wait for a permit get one in turn.
   */
  ofCache(): CachePermits
}

/** The permits of one cache. */
export interface CachePermits {
  readonly timeoutMs: number
  /** Runs a load as soon as there is a permit. Further loads wait, in order. */
  execute<T>(load: () => Promise<T>): Promise<T>
}

/** The longest delay of a timer of Node. */
const longestMs = 2 ** 31 - 1

/**
 * Creates permits for a number of loads at once.
 *
 * @param count @default 8, which leaves some of the ten connections of a node-postgres pool to other queries
 * @param timeoutMs milliseconds that a call of a source may take @default 30_000
 * @throws ConfigurationError
 */
export function createLoadPermits(count = 8, timeoutMs = 30_000): LoadPermits {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw invalidOptionError('maxConcurrentLoads', count, 'a positive whole number')
  }
  if (!(timeoutMs >= 1 && timeoutMs <= longestMs)) {
    throw invalidOptionError('loadTimeoutMs', timeoutMs, `milliseconds, from 1 to ${longestMs}`)
  }
  const share = Math.max(1, Math.floor((count * 3) / 4))
  /** Caches with loads that wait, in the order of their turns. */
  const turns = new Set<Turn>()
  let free = count

  /** Gives permits that are free to the caches whose turn it is, as far as their shares allow. */
  const grant = (): void => {
    for (const turn of turns) {
      if (free === 0) return
      if (turn.taken >= share) continue
      take(turn)
      turns.delete(turn)
      const [next] = turn.waiting
      turn.waiting.delete(next!)
      // A set is walked to its end, including what is added meanwhile: so the cache has its next turn after all others.
      if (turn.waiting.size > 0) turns.add(turn)
      next!()
    }
  }
  const take = (turn: Turn): void => {
    free--
    turn.taken++
  }
  const wait = (turn: Turn): Promise<void> | undefined => {
    if (free > 0 && turn.taken < share) return void take(turn)
    turns.add(turn)
    return new Promise((resolve) => turn.waiting.add(resolve))
  }
  const release = (turn: Turn): void => {
    free++
    turn.taken--
    grant()
  }
  return {
    timeoutMs,
    ofCache() {
      const turn: Turn = { taken: 0, waiting: new Set() }
      return {
        timeoutMs,
        async execute(load) {
          const waiting = wait(turn)
          if (waiting) await waiting
          try {
            return await load()
          } finally {
            release(turn)
          }
        },
      }
    },
  }
}

/** The permits that one cache has, and what waits for its next. */
interface Turn {
  taken: number
  /** Each is called when it has a permit. */
  readonly waiting: Set<() => void>
}
