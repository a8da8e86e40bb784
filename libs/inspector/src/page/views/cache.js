import { element } from '../kit/element.js'
import { formatCount, formatShare } from '../kit/format.js'
import { describeLookup } from '../lookups.js'
import { morph } from '../kit/morph.js'
import { coverageIn } from '../notices.js'
import { cacheName, isSameCache, processNames } from '../processes.js'
import { bypassesOf, missingFieldsOf, QUERY_OUTCOMES } from '../queries.js'
import { optionsTable } from './cache-options.js'
import { createQueryShapes } from './query-shapes.js'
import { AUDIT_OUTCOMES, FILL_OUTCOMES, MISS_REASONS } from '../words.js'
import { askToInvalidate } from './actions.js'
import { createWindowChoice } from './choices.js'
import { FIGURE_COLUMNS, figureCells } from './figures.js'
import { createFind } from './find.js'
import { stateCell } from './overview.js'
import { hottestTables } from './hottest.js'
import { button, createOptionalSection, heading, section, table } from './parts.js'

/** One cache: its figures by process and by lookup, why reads missed and queries bypassed it, and a form for its rows and lists. */
export function createCacheView(context, { cache: wanted }) {
  const title = cacheName(wanted)
  const head = heading(title, 'Asking the processes …')
  const state = head.querySelector('.lead')
  const find = createFind(context, { isFixed: true })
  const finding = section('Find a row or a list', find.element)
  const figures = element('div', { class: 'stack' })
  const hottest = createOptionalSection('Hot rows')
  const queries = createOptionalSection('Queries of Prisma')
  const shapes = createQueryShapes(wanted)
  const misses = element('div', { class: 'stack' })
  const lookups = createOptionalSection('Lists and unique keys')
  const options = element('div', {})
  const versions = createOptionalSection('Schema versions')
  const actions = element('div', {})
  let mayInvalidate = false

  const update = () => {
    const { report, settings } = context
    const cache = report.caches.find((other) => isSameCache(other, wanted))
    finding.hidden = !cache
    if (!cache) {
      morph(state, element('span', { class: 'error' }, `The process that answers has no cache "${title}".`))
      return
    }
    const names = processNames(report.processes)
    const [version, ...others] = cache.fingerprints
    const schema = version && others.length === 0 ? [`Schema ${version.fingerprint}.`] : []
    morph(state, stateCell(cache, report, names), schema)
    find.show([cache])
    morph(figures, figuresTable(cache, report, names, settings.window))
    hottest.show(hottestTables(cache))
    queries.show(queriesOf(cache, report, settings.window))
    shapes.load(cache.model)
    morph(misses, countTables(cache, settings.window))
    lookups.show(lookupsTable(cache))
    morph(options, optionsTable(cache))
    versions.show(cache.fingerprints.length > 1 ? versionsTable(cache, names) : [])
    if (mayInvalidate || !cache.actions.includes('invalidateAll')) return
    mayInvalidate = true
    const act = () => askToInvalidate(context, cache, { all: true })
    actions.append(section('Actions', button('Invalidate all rows', act, { class: 'danger' })))
  }
  return {
    title,
    elements: [
      head,
      finding,
      element('div', { class: 'controls' }, createWindowChoice(context, update)),
      section('Figures', figures),
      hottest.element,
      queries.element,
      shapes.element,
      section('Misses and loads', misses),
      lookups.element,
      section('Options', options),
      versions.element,
      actions,
    ],
    update,
    close: shapes.close,
  }
}

function figuresTable(cache, { processes }, names, window) {
  const inProcesses = processes.flatMap(({ id, caches }) => {
    const own = caches.find((other) => isSameCache(other, cache))
    return own ? [[`Rows, ${names.get(id)}`, own.figures[window]]] : []
  })
  const lines = [
    ...(inProcesses.length === 1 ? [] : [['Rows, all processes', cache.figures[window]]]),
    ...inProcesses,
    ...cache.lookups.map((lookup) => [`Entries of ${lookup.name}`, lookup.figures[window]]),
  ]
  return table({
    caption: 'Figures by process, and of each lookup',
    columns: ['Of', ...FIGURE_COLUMNS.map((column) => ({ ...column, isMinor: false }))],
    rows: lines.map(([name, figures]) => [name, ...figureCells(FIGURE_COLUMNS, figures)]),
  })
}

/** Nothing without `reads`. */
function queriesOf(cache, { processes }, window) {
  const coverage = coverageIn(cache, processes)
  const counted = cache.figures[window]?.queries
  const bypasses = counted && bypassesOf(counted)
  if (!coverage && !bypasses) return []
  const missing = missingFieldsOf(coverage)
  const sentences = [
    ...(coverage?.mode === 'shadow'
      ? ['Shadow mode: the database answers all queries, and the cache is compared with it.']
      : []),
    ...(coverage?.canAnswer === false
      ? [
          'The cache answers no query: its rows are not plain fields of one model, or only the database can compare its ids.',
        ]
      : []),
    ...(missing ? [`The database answers every query without select: ${missing}.`] : []),
  ]
  const lines = bypasses
    ? [
        { reason: 'answered', count: counted.answered },
        { reason: 'result', count: counted.results },
        { reason: 'shadowed', count: counted.shadowed },
        ...bypasses.reasons,
      ].filter(({ count }) => count > 0)
    : []
  return [
    ...sentences.map((sentence) => element('p', {}, sentence)),
    table({
      caption: 'Queries by what became of them',
      columns: ['What', 'Count', 'Share', { title: 'Meaning', isWide: true, isPlain: true }],
      rows: lines.map(({ reason, count }) => [
        element('code', {}, reason),
        formatCount(count),
        formatShare(count / bypasses.total),
        QUERY_OUTCOMES[reason] ?? reason,
      ]),
      empty: `No queries ${timeOf(window)}.`,
    }),
  ]
}

const timeOf = (window) => (window === 'lastHour' ? 'in the last hour' : 'in the last 5 min')

/** Tables of what there is, and a sentence on the rest. */
function countTables(cache, window) {
  const parts = [{ name: undefined, figures: cache.figures }, ...cache.lookups]
  const all = [
    { caption: 'Misses by reason', key: 'misses', words: MISS_REASONS, none: 'no misses' },
    {
      caption: 'Loaded values by what became of them',
      key: 'fills',
      words: FILL_OUTCOMES,
      none: 'no loads',
    },
    {
      caption: 'Audits',
      key: 'audits',
      words: AUDIT_OUTCOMES,
      none: 'no audits (the option audit of forRoot compares hits with the database)',
    },
  ].map((each) => ({ ...each, counts: countsOf(parts, window, each.key) }))
  const none = all.filter(({ counts }) => counts.length === 0).map((each) => each.none)
  const rest = none.length > 0 ? `There were ${none.join(', ')} ${timeOf(window)}.` : ''
  return [
    ...all.filter(({ counts }) => counts.length > 0).map(countTable),
    ...(rest === '' ? [] : [element('p', { class: 'hint' }, rest)]),
  ]
}

const countsOf = (parts, window, key) =>
  parts.flatMap(({ name, figures }) =>
    Object.entries(figures[window]?.[key] ?? {})
      .filter(([, count]) => count > 0)
      .toSorted(([, one], [, other]) => other - one)
      .map(([label, count]) => ({ name, label, count })),
  )

function countTable({ caption, words, counts }) {
  const totalOf = (part) => counts.reduce((sum, { count, name }) => sum + (name === part ? count : 0), 0)
  return table({
    caption,
    columns: ['What', 'Of', 'Count', 'Share', { title: 'Meaning', isWide: true, isPlain: true }],
    rows: counts.map(({ name, label, count }) => [
      element('code', {}, label),
      name ?? 'rows',
      formatCount(count),
      formatShare(count / totalOf(name)),
      words[label] ?? label,
    ]),
  })
}

function lookupsTable({ lookups }) {
  if (lookups.length === 0) return []
  return table({
    caption: 'What the lookups of the cache find',
    columns: ['Lookup', { title: 'Finds', isWide: true, isPlain: true }],
    rows: lookups.map((lookup) => [lookup.name, describeLookup(lookup)]),
  })
}

function versionsTable({ fingerprints }, names) {
  return table({
    caption: 'Versions of the schema whose rows may be in the store',
    columns: ['Fingerprint', { title: 'Processes', isWide: true, isPlain: true }],
    rows: fingerprints.map(({ fingerprint, processes }) => [
      element('code', {}, fingerprint),
      processes.map((id) => names.get(id) ?? id).join(', ') ||
        'none that answers: rows of an earlier version',
    ]),
  })
}
