import { element } from '../kit/element.js'
import { formatCount, formatRate, formatShare } from '../kit/format.js'
import { entryHref, rowHref } from '../routes.js'
import { link, table } from './parts.js'

/** What processes keep in memory because it is read often, and what it costs. Nothing without `l1.hot`. */
export function hottestTables(cache) {
  const parts = [
    { name: 'rows', hottest: cache.hottest, hrefOf: (id) => rowHref(cache, id) },
    ...cache.lookups.map(({ hottest, name }) => ({
      name: `entries of ${name}`,
      hottest,
      hrefOf: (key) => entryHref(cache, name, key),
    })),
  ]
  if (parts.every(({ hottest }) => hottest === null)) return []
  const tables = parts.filter(({ hottest }) => hottest?.length > 0).map(hottestTable)
  if (tables.length > 0) return tables
  return [
    element('p', { class: 'hint' }, 'No row is hot now: none is read often enough to be kept in memory.'),
  ]
}

function hottestTable({ name, hottest, hrefOf }) {
  return table({
    caption: `Hottest ${name}, of all processes`,
    columns: [
      name === 'rows' ? 'Row' : 'Key',
      { title: 'Reads/s', isHalf: true },
      { title: 'Share of reads', isHalf: true },
      { title: 'Hot in', isHalf: true },
      { title: 'In memory of', isHalf: true },
    ],
    rows: hottest.map(({ heldBy, id, processes, readsPerSecond, share }) => ({
      cells: [
        link(hrefOf(id), id),
        formatRate(readsPerSecond),
        formatShare(share),
        processesOf(processes),
        processesOf(heldBy),
      ],
      attributes: { 'data-key': id },
    })),
  })
}

const processesOf = (count) => `${formatCount(count)} ${count === 1 ? 'process' : 'processes'}`
