const base = new URL('../api/v1/', import.meta.url)

/** The API answers within five seconds. A process that hangs takes requests, and says nothing. */
const PATIENCE_MS = 20_000

/** The API did not answer with what was asked for. `message` is for the reader; `status` is 0 without a response. */
export class ApiError extends Error {
  constructor(message, { code = 'no_answer', status = 0, retryAfterMs = 0 } = {}) {
    super(message)
    this.code = code
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

export const findCaches = () => request('caches')
export const findProcesses = () => request('processes')
export const findQueries = () => request('queries')
export const findHistory = () => request('history')
export const findRecent = (cache) => request('recent', named(cache))
export const findRow = (cache, id) => request('row', { ...named(cache), id })
export const findEntry = (cache, lookup, key) => request('entry', { ...named(cache), lookup, key })

/** @param target `{ id }`, `{ lookup, key }` or `{ all: true }` */
export const invalidate = (cache, target) => request('invalidate', { ...named(cache), ...target }, 'POST')

const named = ({ name, root }) => (root === null ? { cache: name } : { cache: name, root })

async function request(path, parameters = {}, method = 'GET') {
  const url = new URL(path, base)
  url.search = new URLSearchParams(parameters)
  const signal = AbortSignal.timeout(PATIENCE_MS)
  let response
  try {
    response = await fetch(url, {
      method,
      // A redirect leads to a login page, which may be on another origin.
      redirect: 'manual',
      headers: method === 'POST' ? { 'x-model-cache-inspector': '1' } : {},
      signal,
    })
  } catch {
    throw noAnswer()
  }
  const answer = await response.json().catch(() => undefined)
  if (response.ok && answer) return answer
  if (signal.aborted) throw noAnswer()
  throw problemOf(response, answer?.error)
}

const noAnswer = () => new ApiError('The application does not answer.')

function problemOf({ status, headers }, { code, message } = {}) {
  const retryAfterMs = 1000 * (Number(headers.get('retry-after')) || 0)
  const details = { code, status, retryAfterMs }
  // The API names the problem itself; guards and proxies have answers of their own.
  if (message && status !== 401) return new ApiError(message, details)
  if (status === 401 || status === 403) {
    return new ApiError(
      `The application refuses access (${status}). Sign in, then reload this page.`,
      details,
    )
  }
  if (status === 429) return new ApiError('The application has too many requests in work.', details)
  if (status >= 500) return new ApiError(`The application cannot answer (${status}).`, details)
  return new ApiError('Something else than the inspector answered. Sign in, then reload this page.', details)
}
