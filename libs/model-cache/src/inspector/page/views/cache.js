import { element } from '../kit/element.js'
import { formatCount, formatShare } from '../kit/format.js'
import { morph } from '../kit/morph.js'
import { cacheName, isSameCache, processNames } from '../processes.js'
import { AUDIT_OUTCOMES, FILL_OUTCOMES, MISS_REASONS } from '../words.js'
import { askToInvalidate } from './actions.js'
import { createWindowChoice } from './choices.js'
import { FIGURE_COLUMNS, figureCells } from './figures.js'
import { createLookupForm, createRowIdForm } from './forms.js'
import { stateCell } from './overview.js'
import { button, heading, section, table } from './parts.js'

/** One cache: its figures by process and by lookup, why reads missed, and forms for its rows and lookups. */
export function createCacheView(context, { cache: wanted }) {
  const title = cacheName(wanted)
  const state = element('div', { class: 'stack' }, element('p', { class: 'hint' }, 'Asking the processes …'))
  const [figures, misses, versions] = ['', '', ''].map(() => element('div', { class: 'stack' }))
  const forms = element('div', { class: 'stack' })
  const actions = element('div', {})
  let isBuilt = false

  const build = (cache) => {
    isBuilt = true
    forms.append(
      formBlock('Row by id', createRowIdForm(cache)),
      ...cache.lookups.map((lookup) =>
        formBlock(
          `${lookup.kind === 'unique' ? 'Unique key' : 'List'} ${lookup.name}`,
          createLookupForm(cache, lookup),
        ),
      ),
    )
    if (cache.actions.includes('invalidateAll')) {
      actions.append(
        section(
          'Actions',
          button('Invalidate all rows', () => askToInvalidate(context, cache, { all: true }), {
            class: 'danger',
          }),
        ),
      )
    }
  }
  const update = () => {
    const { report, settings } = context
    const cache = report.caches.find((other) => isSameCache(other, wanted))
    if (!cache) {
      morph(state, element('p', { class: 'error' }, `The process that answers has no cache "${title}".`))
      return
    }
    if (!isBuilt) build(cache)
    const names = processNames(report.processes)
    morph(state, element('p', {}, stateCell(cache, report, names)))
    morph(figures, figuresTable(cache, report, names, settings.window))
    morph(misses, countTables(cache, settings.window))
    morph(versions, versionsTable(cache, names))
  }
  return {
    title,
    elements: [
      heading(title),
      section('State', state),
      section('Find a row or an entry', forms),
      element('div', { class: 'controls' }, createWindowChoice(context, update)),
      section('Figures', figures),
      section('Why', misses),
      section('Schema versions', versions),
      actions,
    ],
    update,
  }
}

const formBlock = (title, form) => element('div', { class: 'form-block' }, element('h3', {}, title), form)

function figuresTable(cache, { processes }, names, window) {
  const lines = [
    ['Rows, all processes', cache.figures[window]],
    ...processes.flatMap(({ id, caches }) => {
      const own = caches.find((other) => isSameCache(other, cache))
      return own ? [[`Rows, ${names.get(id)}`, own.figures[window]]] : []
    }),
    ...cache.lookups.map((lookup) => [`Entries of ${lookup.name}`, lookup.figures[window]]),
  ]
  return table({
    caption: 'Figures by process, and of each lookup',
    columns: ['Of', ...FIGURE_COLUMNS.map(({ title }) => title)],
    rows: lines.map(([name, figures]) => [name, ...figureCells(figures)]),
  })
}

function countTables(cache, window) {
  const time = window === 'recent' ? 'in the last 5 s' : 'since the start'
  const parts = [{ name: undefined, figures: cache.figures }, ...cache.lookups]
  const countsOf = (key) =>
    parts.flatMap(({ name, figures }) =>
      Object.entries(figures[window]?.[key] ?? {})
        .filter(([, count]) => count > 0)
        .toSorted(([, one], [, other]) => other - one)
        .map(([label, count]) => ({ name, label, count })),
    )
  const countTable = ({ caption, key, words, empty }) => {
    const counts = countsOf(key)
    const totalOf = (part) => counts.reduce((sum, { count, name }) => sum + (name === part ? count : 0), 0)
    return table({
      caption,
      columns: ['What', 'Of', 'Count', 'Share', 'Meaning'],
      rows: counts.map(({ name, label, count }) => [
        element('code', {}, label),
        name ?? 'rows',
        formatCount(count),
        formatShare(count / totalOf(name)),
        words[label] ?? '–',
      ]),
      empty,
    })
  }
  return [
    countTable({
      caption: 'Misses by reason',
      key: 'misses',
      words: MISS_REASONS,
      empty: `No misses ${time}.`,
    }),
    countTable({
      caption: 'Loaded values by what became of them',
      key: 'fills',
      words: FILL_OUTCOMES,
      empty: `Nothing was loaded ${time}.`,
    }),
    countTable({
      caption: 'Audits',
      key: 'audits',
      words: AUDIT_OUTCOMES,
      empty: `No audits ${time}. The option audit of forRoot compares hits with the database.`,
    }),
  ]
}

function versionsTable({ fingerprints }, names) {
  return table({
    caption: 'Versions of the schema whose rows may be in the store',
    columns: ['Fingerprint', 'Processes'],
    rows: fingerprints.map(({ fingerprint, processes }) => [
      element('code', {}, fingerprint),
      processes.map((id) => names.get(id) ?? id).join(', ') ||
        'none that answers: rows of an earlier version',
    ]),
    empty: 'No process has answered.',
  })
}
