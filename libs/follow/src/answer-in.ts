/** A connection attempt, and an answer of the database, may take this long. */
export const deadlineMs = 5_000

/**
 * Resolves with an answer.
 *
 * @throws Error if there is none in time
 */
export async function answerIn<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const expire = (): void => reject(new Error(`no answer within ${timeoutMs} ms`))
    // One poll later: if this process was held up, the answer may have arrived unread.
    timer = setTimeout(() => setImmediate(expire), timeoutMs)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
