/** Returns host and database of a URL, without credentials. @param fallback for a URL that has none to show */
export function hostAndPathOf(url: string, fallback: string): string {
  if (!URL.canParse(url) || hasStrayAt(url)) return fallback
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** What to do about a URL that is not percent-encoded. */
export const strayAt =
  'its URL has an "@" behind the host. Percent-encode user and password, where "/" is %2F, "?" is %3F, "#" is %23 and "@" is %40; and ' +
  '"@" everywhere else.'

/**
 * Whether a URL has an "@" where its path, its query or its fragment is. A password that is not percent-encoded ends at its first "/",
 * "?" or "#": what is in front of it counts as a port, and what follows, up to the host, as the path.
 */
export function hasStrayAt(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { hash, password, pathname, search, username } = new URL(url)
  if (`${pathname}${hash}`.includes('@')) return true
  if (!search.includes('@')) return false
  // Behind credentials, `?application_name=me@here` is what it seems to be.
  const values = search.slice(1).split('&')
  return (username === '' && password === '') || values.some((value) => /^[^=]*@/.test(value))
}

/** The message of an error; of several, if it stands for the attempts at several addresses. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

export const isMysqlUrl = (url: string): boolean => /^(mysql|mariadb):\/\//.test(url)
