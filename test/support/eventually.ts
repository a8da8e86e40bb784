/** How specs wait for what happens by itself: for a condition, and never for as long as it takes on some machine. */
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'

/** Between the first attempts. Later ones are a tenth of the time apart that has passed, as many attempts cost much. */
const firstPauseMs = 5
const longestPauseMs = 100

/** Less than Jest gives a test, so that a failure says what has not happened. */
const patienceMs = 90_000

/**
 * Waits until a condition is true. It is evaluated any number of times; an error that it throws is one of the test.
 *
 * @throws with the condition and its last value, if it does not become true in time
 */
export function eventually(condition: () => unknown, withinMs = patienceMs): Promise<void> {
  return poll(condition, withinMs, async () => {
    const value = await condition()
    if (!value) throw new NotYet(`It is ${inspect(value)}.`)
  })
}

/**
 * Waits until a read returns what is expected, as `toEqual` compares it.
 *
 * @throws with the read and the last difference, if they do not become equal in time
 */
export function eventuallyEqual<T>(
  read: () => T | Promise<T>,
  expected: NoInfer<T>,
  withinMs = patienceMs,
): Promise<void> {
  return poll(read, withinMs, async () => {
    const value = await read()
    try {
      expect(value).toEqual(expected)
    } catch (error) {
      throw new NotYet((error as Error).message)
    }
  })
}

/**
 * Tries until an attempt succeeds, and returns its result.
 *
 * @throws with the attempt and its last error, if none succeeds in time
 */
export function eventuallyResolves<T>(attempt: () => Promise<T>, withinMs = patienceMs): Promise<T> {
  return poll(attempt, withinMs, () =>
    attempt().catch((error: unknown) => {
      throw new NotYet(inspect(error))
    }),
  )
}

/** What an attempt has found instead. */
class NotYet extends Error {}

async function poll<T>(awaited: () => unknown, withinMs: number, attempt: () => Promise<T>): Promise<T> {
  let found = 'It has not returned.'
  const tried = (): Promise<{ readonly result: T } | undefined> =>
    attempt().then(
      (result) => ({ result }),
      (error: unknown) => {
        if (!(error instanceof NotYet)) throw error
        found = error.message
        return undefined
      },
    )
  const start = performance.now()
  let timer: NodeJS.Timeout | undefined
  const isLate = new Promise<'late'>((resolve) => {
    timer = setTimeout(resolve, withinMs, 'late')
  })
  try {
    for (;;) {
      // An attempt may hang.
      const outcome = await Promise.race([tried(), isLate])
      if (outcome === 'late') throw new Error(`Not within ${withinMs} ms: ${awaited}\n${found}`)
      if (outcome) return outcome.result
      const pauseMs = (performance.now() - start) / 10
      await sleep(Math.min(Math.max(pauseMs, firstPauseMs), longestPauseMs))
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Lets the event loop turn: often enough for all that waits for neither a timer nor a server, on any machine. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate)
}
