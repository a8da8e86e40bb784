import { formatDuration } from './kit/format.js'
import { isSameCache } from './processes.js'

/**
 * Returns the state of a cache in words: those of most processes, and the words of each process that differs.
 *
 * @returns `{ words, isGood, differing: [{ id, words }] }`
 */
export function stateOf(cache, { processes }) {
  const ofProcesses = processes.flatMap((process) => {
    const own = process.caches.find((other) => isSameCache(other, cache))
    return own ? [stateIn(process, own, cache)] : []
  })
  const groups = [...Map.groupBy(ofProcesses, ({ kind }) => kind).values()]
  const [most = [], ...others] = groups.toSorted((one, other) => other.length - one.length)
  const versions = cache.fingerprints.length
  const words = [
    ...(most[0]?.words ?? ['no process has answered']),
    ...(versions > 1 ? [`${versions} schema versions`] : []),
  ]
  return {
    words,
    isGood: others.length === 0 && most[0]?.kind === 'stores' && versions === 1,
    differing: others.flat(),
  }
}

/** What processes have in common is `kind`; `words` may have numbers that differ. */
function stateIn(process, own, cache) {
  const states = statesOf(process, own, cache)
  return {
    id: process.id,
    kind: states.map(([kind]) => kind).join(),
    words: states.map(([, words]) => words),
  }
}

function statesOf({ stores }, own, { fingerprints }) {
  const { epoch, fingerprint, isFollowed, l1, pendingInvalidations: pending } = own
  const states = [
    mainStateOf(
      own,
      stores.find(({ root }) => root === own.root),
    ),
  ]
  if (pending === 'all') states.push(['pending', 'invalidation of all rows pending'])
  else if (pending > 0) states.push(['pending', `${pending} invalidation${pending === 1 ? '' : 's'} pending`])
  if (l1 && !l1.isTrusted) states.push(['l1', 'memory not used, as it does not hear of writes'])
  if (isFollowed === false) states.push(['follow', 'writes outside Prisma not followed'])
  if (epoch !== null && fingerprints.length > 1)
    states.push([fingerprint, `schema ${fingerprint.slice(0, 8)}`])
  return states
}

function mainStateOf({ epoch, mayFill, mayFillInMs }, store) {
  const kind = store?.kind === 'valkey' ? 'Valkey' : 'store'
  if (store?.openCircuits.reads > 0) return ['down', `${kind} unavailable`]
  if (store?.openCircuits.writes > 0) return ['full', `${kind} takes no writes`]
  if (epoch === null) return ['written', 'write under way']
  if (mayFill) return ['stores', 'stores rows']
  if (mayFillInMs > 0) return ['new', `new schema: stores rows in ${formatDuration(mayFillInMs)}`]
  return ['idle', 'stores no rows']
}
