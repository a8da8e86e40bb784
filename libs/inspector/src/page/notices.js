import { formatCount, formatMs, formatRelative, formatTime } from './kit/format.js'
import { BLOCKED, incidentsOf, isCutOff } from './incidents.js'
import { cacheName, isSameCache, processNames } from './processes.js'
import { bypassesOf, missingFieldsOf } from './queries.js'
import { cacheHref, eventLoopHref } from './routes.js'
import { stateOf } from './states.js'
import { describeHolder } from './words.js'

/** How long a block of the event loop and a change of the store are news. */
const NEWS_MS = 5 * 60_000
/** How long a process counts as new. */
const NEW_MS = 60_000
/** So many queries that a cache has answered none of are no accident. */
const MANY_QUERIES = 100

/**
 * Finds what an operator should know at once, the most urgent first, and causes before what follows from them.
 *
 * @returns for each a `kind`, `problem`, `advice` or `news`, and `parts`: texts, and links as `{ href, text }`; of an incident, see
 *   incidents.js, also `short`, `users` and `remedy`
 */
export function noticesOf(report) {
  const names = processNames(report.processes)
  const as = (kind) => (parts) => ({ kind, parts })
  const incidents = incidentsOf(report, names)
  return [
    ...incidents,
    ...silentNotices(report).map(as('problem')),
    ...consequencesOf(report, names).map(as('problem')),
    ...adviceOf(report, names).map(as('advice')),
    ...newsOf(report, names, incidents).map(as('news')),
  ]
}

const linkTo = (cache) => ({ href: cacheHref(cache), text: cacheName(cache) })

/** Where processes do not agree, and what their starts found. */
function consequencesOf(report, names) {
  return [
    ...differencesOf(report).map(({ id, words, differing }) => [
      `${names.get(id)} differs: ${words.join(', ')} (`,
      ...differing.flatMap((cache, i) => [...(i > 0 ? [', '] : []), linkTo(cache)]),
      ').',
    ]),
    ...report.processes.flatMap(({ id, warnings }) =>
      warnings.map((warning) => [`${names.get(id)}: ${warning}`]),
    ),
  ]
}

/** Caches that answer no queries, or not those that are sent. */
function adviceOf({ caches, processes }) {
  return caches.flatMap((cache) => {
    const { queries } = cache.figures.sinceStart
    const bypasses = bypassesOf(queries)
    const coverage = coverageIn(cache, processes)
    const missing = missingFieldsOf(coverage)
    const forFields = queries.bypassed.fields ?? 0
    // Who selects fields gets them from the cache, and knows what is left out.
    if (missing && (forFields > 0 || queries.answered + queries.results + queries.shadowed === 0)) {
      const soFar = forFields > 0 ? ` So far ${formatCount(forFields)} have.` : ''
      return [
        [
          linkTo(cache),
          ` answers no query without select: ${missing}. The database answers every such query.${soFar}`,
        ],
      ]
    }
    if (!bypasses || bypasses.total < MANY_QUERIES || bypasses.bypassed < bypasses.total) return []
    const [{ count, reason }] = bypasses.reasons
    return [
      [
        linkTo(cache),
        `: the database answered all of ${formatCount(bypasses.total)} queries, ${formatCount(count)} of them because of ${reason}.`,
      ],
    ]
  })
}

/** Which queries a cache answers, as the first process that answers some has it; null if none does. */
export function coverageIn(cache, processes) {
  for (const process of processes) {
    const coverage = process.caches.find((other) => isSameCache(other, cache))?.coverage
    if (coverage) return coverage
  }
  return null
}

function newsOf(report, names, incidents) {
  const { at, processes } = report
  const areBlocksKnown = incidents.some(({ short }) => short === BLOCKED)
  return [
    ...(areBlocksKnown ? [] : processes).flatMap(({ id, eventLoop }) =>
      eventLoop.blocks
        .filter((block) => isNews(block.at, at))
        .slice(0, 1)
        .map((block) => [
          `${names.get(id)}: ${describeHolder(block.holder)} `,
          { href: eventLoopHref, text: 'blocked the event loop' },
          ` for ${formatMs(block.ms)}, ${formatRelative(block.at, at)}.`,
        ]),
    ),
    ...latestChanges(report, names, 'up').map(([name, change]) => [`${name}: ${describeChange(change, at)}`]),
    ...processes
      .filter(({ startedAt }) => Date.parse(at) - Date.parse(startedAt) < NEW_MS)
      .map(({ id, startedAt }) => [
        `${names.get(id)} started ${formatRelative(startedAt, at)}: its memory is empty, and its first reads go further.`,
      ]),
  ]
}

const isNews = (time, at) => Date.parse(at) - Date.parse(time) < NEWS_MS

/** The latest change of the store in each process, if it is news and into this state. */
function latestChanges({ at, processes }, names, state) {
  return processes.flatMap(({ id, storeChanges: [latest] }) =>
    latest?.state === state && isNews(latest.at, at) ? [[names.get(id), latest]] : [],
  )
}

/** Caches that differ in a process in the same words, together. */
function differencesOf(report) {
  const all = report.caches.flatMap((cache) =>
    stateOf(cache, report).differing.map(({ id, words }) => ({ id, words, cache })),
  )
  return [...Map.groupBy(all, ({ id, words }) => [id, ...words].join('\n')).values()].map((group) => ({
    ...group[0],
    differing: group.map(({ cache }) => cache),
  }))
}

/** A sentence for each process that stopped answering, or one for all if none can be asked. */
export function silentNotices({ at, silent, processes, self }) {
  const names = processNames([...processes, ...silent])
  if (silent.length > 0 && isCutOff({ processes, self })) {
    const others = silent.map(({ id }) => names.get(id)).join(', ')
    return [
      [
        `Therefore ${others} cannot be asked, and nobody knows whether writes outside Prisma are followed: processes talk to each other through the store. All figures are those of ${names.get(self)} alone.`,
      ],
    ]
  }
  return silent.map(({ id, lastAt }) => [
    `${names.get(id)} is silent: it last answered at ${formatTime(lastAt, at)}, ${formatRelative(lastAt, at)}. ` +
      'It has stopped, hangs, or has lost the store.',
  ])
}

const FOLLOW_STATES = {
  opening: 'the follower opens the log of the database',
  following: 'writes outside Prisma are followed',
  resigned: 'the follower has resigned, and another one takes over',
  nobody: 'nobody follows the writes outside Prisma',
}

export function describeFollow({ isStandby, lagMs, root, standbyLagMs, state }) {
  const lag = lagMs === null ? '' : `, ${formatMs(lagMs)} behind`
  const ofStandby =
    standbyLagMs === null ? 'whose own lag is unknown' : `${formatMs(standbyLagMs)} behind its primary`
  const standby = isStandby ? `; from a standby, ${ofStandby}` : ''
  return `${root === null ? '' : `${root}: `}${FOLLOW_STATES[state] ?? state}${lag}${standby}`
}

export function describeChange({ at, side, state, reason }, now) {
  const what = state === 'up' ? `the store answers ${side} again` : `the store does not answer ${side}`
  return `${what} (${reason}), since ${formatTime(at, now)}, ${formatRelative(at, now)}.`
}
