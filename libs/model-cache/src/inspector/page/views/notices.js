import { element } from '../kit/element.js'
import { formatMs, formatRelative, formatTime } from '../kit/format.js'
import { cacheName, processNames } from '../processes.js'
import { cacheHref, eventLoopHref } from '../routes.js'
import { stateOf } from '../states.js'
import { describeHolder } from '../words.js'
import { link } from './parts.js'

/** How long a block of the event loop and a change of the store are news. */
const NEWS_MS = 5 * 60_000
/** How long a process counts as new. */
const NEW_MS = 60_000

/** What an operator should know at once, each in a sentence. */
export function noticesOf(report) {
  const { at, silent, processes } = report
  const names = processNames(processes)
  const isNews = (time) => Date.parse(at) - Date.parse(time) < NEWS_MS
  const notices = [
    ...silentNotices(report),
    ...processes.flatMap(({ id, warnings }) => warnings.map((warning) => [`${names.get(id)}: ${warning}`])),
    ...processes.flatMap(({ id, storeChanges }) =>
      storeChanges
        .filter((change) => isNews(change.at))
        .slice(0, 1)
        .map((change) => [`${names.get(id)}: ${describeChange(change, at)}`]),
    ),
    ...processes.flatMap(({ id, follow }) =>
      follow
        .filter(({ state }) => state !== 'following')
        .map(({ state }) => [`${names.get(id)}: ${FOLLOW_STATES[state] ?? state}.`]),
    ),
    ...differencesOf(report).map(({ id, words, differing }) => [
      `${names.get(id)} differs: ${words.join(', ')} (`,
      ...differing.flatMap((cache, i) => [i > 0 ? ', ' : '', link(cacheHref(cache), cacheName(cache))]),
      ').',
    ]),
    ...processes
      .filter(({ startedAt }) => Date.parse(at) - Date.parse(startedAt) < NEW_MS)
      .map(({ id, startedAt }) => [
        `${names.get(id)} started ${formatRelative(startedAt, at)}: its memory is empty, and its first reads go further.`,
      ]),
    ...processes.flatMap(({ id, eventLoop }) =>
      eventLoop.blocks
        .filter((block) => isNews(block.at))
        .slice(0, 1)
        .map((block) => [
          `${names.get(id)}: ${describeHolder(block.holder)} `,
          link(eventLoopHref, 'blocked the event loop'),
          ` for ${formatMs(block.ms)}, ${formatRelative(block.at, at)}.`,
        ]),
    ),
  ]
  if (notices.length === 0 && silent.length === 0) {
    return element('p', { class: 'hint' }, 'Nothing: all processes answer, agree and store rows.')
  }
  return element(
    'ul',
    { class: 'notices' },
    notices.map((notice) => element('li', {}, notice)),
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

/** A sentence for each process that stopped answering. */
export function silentNotices({ at, silent, processes }) {
  const names = processNames([...processes, ...silent])
  return silent.map(({ id, lastAt }) => [
    `${names.get(id)} is silent: it last answered at ${formatTime(lastAt, at)}, ${formatRelative(lastAt, at)}. ` +
      'It has stopped, hangs, or has lost the store.',
  ])
}

export const FOLLOW_STATES = {
  opening: 'the follower opens the log of the database',
  following: 'writes past Prisma are followed',
  resigned: 'the follower has resigned, and another one takes over',
  nobody: 'nobody follows the writes past Prisma',
}

export function describeChange({ at, side, state, reason }, now) {
  const what = state === 'up' ? `the store answers ${side} again` : `the store does not answer ${side}`
  return `${what} (${reason}), since ${formatTime(at, now)}, ${formatRelative(at, now)}.`
}
