/** How long the source may take. */
const deadlineMs = 3_000

/**
 * Waits for a comparison with the source. Never rejects: the source may fail, and the rest of a report is worth showing.
 *
 * @param what is compared, such as `row`
 * @returns the result, or the reason why there is none
 */
export async function withinDeadline<T>(
  what: string,
  compare: () => Promise<T>,
): Promise<{ readonly result: T; readonly error: null } | { readonly result: null; readonly error: string }> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new Error(`the ${what} was not read within ${deadlineMs / 1_000} s`)),
    deadlineMs,
  )
  try {
    return { result: await Promise.race([compare(), tooLate]), error: null }
  } catch (error) {
    return { result: null, error: kindOf(error) }
  } finally {
    clearTimeout(timer)
  }
}

/** The kind of an error. Messages of databases may have values of rows. */
function kindOf(error: unknown): string {
  const { code, message, name } = Object(error) as { code?: unknown; message?: unknown; name?: unknown }
  if (typeof code === 'string') return `${String(name)} (${code})`
  return error instanceof Error && error.constructor === Error ? String(message) : String(name)
}
