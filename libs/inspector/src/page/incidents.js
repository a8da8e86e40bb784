import { formatCount, formatDuration, formatMs, formatRelative, formatTime } from './kit/format.js'
import { cacheName, isSameCache } from './processes.js'
import { cacheHref, eventLoopHref } from './routes.js'
import { describeHolder, FILL_OUTCOMES } from './words.js'

/*
 * What is wrong now, causes before what follows from them. An incident is `{ kind: 'problem', short, parts, users, remedy }`: `short` for
 * the header, `parts` what happened, `users` what that means for them, and `remedy` what to do.
 */

export const BLOCKED = 'The event loop is blocked'
/** The part of the time that blocks take from which on they are a problem, and how long one alone may be. */
const BLOCKED_SHARE = 0.05
const WINDOW_MS = 5 * 60_000
/** The median of reads that load rows from which on the database is slow. */
const SLOW_MS = 500
/** So many loads, or loaded rows, are no accident. */
const MANY_LOADS = 10

const linkTo = (cache, lookup) => ({
  href: cacheHref(cache),
  text: lookup === undefined ? cacheName(cache) : `${cacheName(cache)}.${lookup}`,
})
/** The rows of a cache, and the entries of each of its lookups: both are loaded, stored and audited. */
const partsOf = (cache) => [
  { link: linkTo(cache), figures: cache.figures, one: 'row', many: 'rows' },
  ...cache.lookups.map(({ figures, name }) => ({
    link: linkTo(cache, name),
    figures,
    one: 'entry',
    many: 'entries',
  })),
]
const listed = (names) => names.flatMap((name, i) => [...(i > 0 ? [', '] : []), name])
const problem = (short, parts, users, ...remedy) => ({ kind: 'problem', short, parts, users, remedy })

export function incidentsOf(report, names) {
  const blocked = blockIncidents(report, names)
  return [
    ...storeIncidents(report, names),
    ...blocked,
    ...slowDatabase(report, blocked.length > 0),
    ...report.caches.flatMap(failedLoads),
    ...followIncidents(report, names),
    ...uncachedRows(report, names),
    ...report.caches.flatMap(partsOf).flatMap(staleRows),
  ]
}

/** Whether a process cannot ask others, since the store between them does not answer. */
export const isCutOff = ({ processes, self }) =>
  processes.some(({ id, stores }) => id === self && stores.some((store) => downSides(store).length > 0))

const downSides = ({ openCircuits }) => ['reads', 'writes'].filter((side) => openCircuits[side] > 0)

export const storeName = (kind) => (kind === 'valkey' ? 'Valkey' : `The store "${kind}"`)

/** One for each store, whatever the number of its processes. */
function storeIncidents({ at, processes }, names) {
  const down = processes.flatMap((process) =>
    process.stores.flatMap((store) => {
      const sides = downSides(store)
      return sides.length > 0 ? [{ process, store, sides }] : []
    }),
  )
  const byStore = Map.groupBy(down, ({ store: { address, root } }) => `${root} ${address}`)
  return [...byStore.values()].map((all) => {
    const [{ store }] = all
    const sides = ['reads', 'writes'].filter((side) => all.some((one) => one.sides.includes(side)))
    const changes = all.flatMap(({ process, sides: own }) =>
      own.flatMap(
        (side) =>
          process.storeChanges.find((change) => change.side === side && change.state === 'down') ?? [],
      ),
    )
    const since = changes.map((change) => change.at).toSorted()[0]
    const reason = changes[0]?.reason
    const who =
      all.length === processes.length && all.length > 1
        ? `all ${all.length} processes that answer`
        : all.map(({ process }) => names.get(process.id)).join(', ')
    const name = storeName(store.kind)
    const where = store.address === null ? '' : ` at ${store.address}`
    return problem(
      `${name} does not answer`,
      [
        `${name}${where} does not answer ${sides.join(' and ')} of ${who}`,
        reason === undefined ? '' : ` (${reason})`,
        since === undefined ? '.' : `, since ${formatTime(since, at)}, ${formatRelative(since, at)}.`,
      ],
      usersOf(sides, store.mode),
      remedyOf(reason, where),
    )
  })
}

function usersOf(sides, mode) {
  const reads = 'Reads go to the database: the answers are right, and slower.'
  const writes =
    mode === 'strict'
      ? 'Writes fail with a FenceError, since the mode is strict.'
      : 'Writes work; until it is back, processes that still reach it may answer with rows from before them.'
  return [...(sides.includes('reads') ? [reads] : []), ...(sides.includes('writes') ? [writes] : [])].join(
    ' ',
  )
}

function remedyOf(reason = '', where) {
  const after =
    ' Watch the load of the database meanwhile. When the store is back, nothing needs to be done: the processes notice within seconds.'
  if (/NOAUTH|WRONGPASS|NOPERM/.test(reason))
    return `Correct the user, the password or the rights that the application has there.${after}`
  if (/OOM/.test(reason)) return `The server is full: raise maxmemory, or free some of it.${after}`
  if (/READONLY|replica/.test(reason)) return `The address leads to a replica: check the failover.${after}`
  if (/time|deadline/i.test(reason))
    return `The server is busy, or the event loop of the process is: look at SLOWLOG GET, and at the event loop below.${after}`
  return `Check that the server${where} runs, and that the hosts of these processes reach it.${after}`
}

/** Holders that block the event loop for a large part of the last five minutes. */
function blockIncidents({ at, processes }, names) {
  return processes.flatMap(({ eventLoop, id, startedAt }) => {
    const windowMs = Math.min(WINDOW_MS, Date.parse(at) - Date.parse(startedAt))
    const all = eventLoop.blockTotals.last5Minutes
    const blockedMs = all.reduce((sum, { ms }) => sum + ms, 0)
    if (windowMs <= 0 || blockedMs < BLOCKED_SHARE * windowMs) return []
    const [{ blocks, holder, ms }] = all
    return [
      problem(
        BLOCKED,
        [
          `${names.get(id)}: the event loop was blocked for ${formatDuration(blockedMs)} of the last ${formatDuration(windowMs)}, most of it by ${describeHolder(holder)} (${formatCount(blocks)} times, ${formatDuration(ms)}).`,
        ],
        'Meanwhile this process answers nothing: all requests wait, and health checks may fail.',
        'The ',
        { href: eventLoopHref, text: 'stacks of the blocks' },
        ' name the line. Take load from the process, or move that work out of it.',
      ),
    ]
  })
}

/** Caches whose reads wait long for the database. */
function slowDatabase({ caches }, isBlocked) {
  const slow = caches.flatMap(partsOf).flatMap(({ figures, link }) => {
    const { loads, missMs } = figures.last5Minutes
    return loads >= MANY_LOADS && missMs && missMs.p50 >= SLOW_MS ? [{ link, ms: missMs.p50 }] : []
  })
  if (slow.length === 0) return []
  const worst = Math.max(...slow.map(({ ms }) => ms))
  return [
    problem(
      'The database is slow',
      [
        `Reads that go to the database take up to ${formatMs(worst)} (median of the last 5 min): `,
        ...listed(slow.map(({ link }) => link)),
        '.',
      ],
      'Pages wait this long for rows that are not stored. Stored rows are as fast as ever.',
      `${isBlocked ? 'Mend the event loop first, which delays all replies. Then look' : 'Look'} for slow statements, locks and a full connection pool at the database.`,
    ),
  ]
}

function failedLoads(cache) {
  const total = (name) => partsOf(cache).reduce((sum, { figures }) => sum + figures.last5Minutes[name], 0)
  const [failed, loads, late] = ['failedLoads', 'loads', 'timedOutLoads'].map(total)
  if (failed + late === 0) return []
  const what = [
    ...(failed > 0 ? [`${formatCount(failed)} of ${formatCount(loads)} loads failed`] : []),
    ...(late > 0 ? [`${formatCount(late)} took longer than loadTimeoutMs`] : []),
  ].join(', and ')
  return [
    problem(
      'Loads fail',
      [linkTo(cache), `: ${what} in the last 5 min.`],
      'The callers of these reads got the error.',
      'The log of the application has it. Check that the database answers.',
    ),
  ]
}

const FOLLOW_PROBLEMS = {
  opening: 'The follower opens the log of the database, and does not follow it yet.',
  resigned: 'The follower has resigned, and another one takes over.',
  nobody: 'Nobody follows the writes outside Prisma.',
}

function followIncidents({ caches, processes, self }, names) {
  if (isCutOff({ processes, self })) return []
  const lost = processes.flatMap(({ follow, id }) =>
    follow.filter(({ state }) => state !== 'following').map(({ root, state }) => ({ id, root, state })),
  )
  const byState = Map.groupBy(lost, ({ root, state }) => `${root} ${state}`)
  return [...byState.values()].map((all) => {
    const [{ root, state }] = all
    const required = caches.filter((cache) => cache.root === root && cache.options.follow === 'required')
    const bypassed =
      required.length > 0
        ? ` ${required.map(cacheName).join(', ')} read from the database (follow: 'required').`
        : ''
    return problem(
      'The database is not followed',
      [
        `${root === null ? '' : `${root}: `}${FOLLOW_PROBLEMS[state] ?? state} `,
        all.length === processes.length && all.length > 1
          ? 'All processes say so.'
          : `${all.map(({ id }) => names.get(id)).join(', ')} ${all.length === 1 ? 'says' : 'say'} so.`,
      ],
      `Rows that SQL or other programs write stay as they were until their ttl ends. Writes through Prisma are not affected.${bypassed}`,
      'The log of the processes with follow has the reason: the connection to the database, its log, or a right. If the store is down, that is the reason.',
    )
  })
}

/** Outcomes of loaded rows that no time heals. */
const NEVER_STORED = new Set(['refused', 'too_long', 'evicting'])

/** Caches that load rows and store none, or cannot use what is stored. */
function uncachedRows({ caches, processes }, names) {
  return caches.flatMap((cache) => {
    const unproven = processes.flatMap((process) => {
      const why = process.caches.find((other) => isSameCache(other, cache))?.unproven
      return why ? [{ process, why }] : []
    })
    if (unproven.length > 0) {
      return [
        problem(
          'Rows are not cached',
          [
            linkTo(cache),
            ` stores no rows in ${unproven.map(({ process }) => names.get(process.id)).join(', ')}: ${unproven[0].why}`,
          ],
          'Every read of these rows goes to the database: the answers are right, and slower.',
          'Correct the definition, and deploy it.',
        ),
      ]
    }
    return partsOf(cache).flatMap(unusedValues)
  })
}

/** Stored values of a part of a cache that cannot be read, and loaded ones of which none is stored. */
function unusedValues({ figures, link, many }) {
  const { fills, misses } = figures.last5Minutes
  const undecodable = misses.undecodable ?? 0
  const outcomes = Object.entries(fills).filter(([, count]) => count > 0)
  const [most] = outcomes.toSorted(([, one], [, other]) => other - one)
  const filled = outcomes.reduce((sum, [, count]) => sum + count, 0)
  const isUnstored = filled >= MANY_LOADS && !fills.stored && NEVER_STORED.has(most[0])
  return [
    ...(undecodable > 0
      ? [
          problem(
            'Stored rows cannot be read',
            [link, `: ${formatCount(undecodable)} stored ${many} could not be decoded in the last 5 min.`],
            'They were read from the database instead: the answers are right, and slower.',
            'Rows are damaged, or a version wrote them that shares the fingerprint: see which versions run, and raise `version` in the definition.',
          ),
        ]
      : []),
    ...(isUnstored
      ? [
          problem(
            'Rows are not cached',
            [
              link,
              `: of ${formatCount(filled)} ${many} that were loaded in the last 5 min none was stored, most of them ${most[0]}. ${FILL_OUTCOMES[most[0]] ?? ''}`,
            ],
            'Each read of these rows goes to the database: the answers are right, and slower.',
            'The log has the first of these rows with the reason.',
          ),
        ]
      : []),
  ]
}

function staleRows({ figures, link, many, one }) {
  const stale = figures.lastHour.audits.stale ?? 0
  if (stale === 0) return []
  return [
    problem(
      'Stored rows are stale',
      [
        link,
        `: audits found ${formatCount(stale)} stored ${stale === 1 ? one : many} stale in the last hour. Some write was not heard.`,
      ],
      'Readers of these rows see what was written before.',
      'Invalidate all rows of the cache, then find what writes without the library: SQL, another program, or a client that is not extended.',
    ),
  ]
}
