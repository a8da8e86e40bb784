/** Addresses of views. A cache without a root has an empty part for it. */
const partsOf = ({ name, root }) => `${encodeURIComponent(root ?? '')}/${encodeURIComponent(name)}`

export const cacheHref = (cache) => `#/cache/${partsOf(cache)}`
export const rowHref = (cache, id) => `#/row/${partsOf(cache)}?${new URLSearchParams({ id })}`
export const entryHref = (cache, lookup, key) =>
  `#/entry/${partsOf(cache)}/${encodeURIComponent(lookup)}?${new URLSearchParams({ key })}`
export const eventLoopHref = '#/event-loop'
export const processesHref = '#/processes'
export const resultsHref = '#/results'

/** @returns `{ view, cache, lookup, id, key }` of an address; the view is `unknown` if there is none */
export function routeOf(hash) {
  const [path, query = ''] = splitOnce(hash.replace(/^#?\/?/, ''), '?')
  let parts
  try {
    parts = path.split('/').map(decodeURIComponent)
  } catch {
    return { view: 'unknown' }
  }
  const [view, root, name, lookup] = parts
  const parameters = new URLSearchParams(query)
  const cache = { name, root: root || null }
  if (view === '') return { view: 'caches' }
  if (view === 'event-loop' || view === 'processes' || view === 'results') return { view }
  if (view === 'cache' && name) return { view, cache }
  if (view === 'row' && name && parameters.has('id')) return { view, cache, id: parameters.get('id') }
  if (view === 'entry' && lookup) return { view, cache, lookup, key: parameters.get('key') ?? '' }
  return { view: 'unknown' }
}

function splitOnce(text, separator) {
  const at = text.indexOf(separator)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
