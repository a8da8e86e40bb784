import { formatBytes, formatCount, formatDuration } from '../kit/format.js'
import { element } from '../kit/element.js'
import { table } from './parts.js'

/** What the definition of a cache says, as the process has it that serves the page. */
export function optionsTable({ atRest, figures, options }) {
  return table({
    caption: 'The options of the definition, with defaults, in the process that serves this page',
    columns: ['Option', { title: 'Value', isWide: true, isPlain: true }],
    rows: [...linesOf(options), ...storedLines(atRest, figures)].map(([name, value]) => [
      element('code', {}, name),
      value,
    ]),
  })
}

function linesOf(options) {
  const { dependsOn, follow, format, l1, load, refine, schema, version } = options
  const prisma = ['select', 'include', 'omit'].flatMap((name) =>
    options[name] === null ? [] : [[name, element('code', { class: 'value' }, options[name])]],
  )
  return [
    ['ttl', durationOf(options.ttlMs)],
    ['notFoundTtl', durationOf(options.notFoundTtlMs)],
    ['refreshAhead', durationOf(options.refreshAheadMs)],
    ['staleFor', durationOf(options.staleForMs)],
    ['l1', l1 ? memoryOf(l1) : 'off: no rows in the memory of processes'],
    ['rows', options.rows],
    ...prisma,
    ...(refine.length > 0 ? [['refine', refine.join(', ')]] : []),
    ...(schema ? [['schema', 'by hand']] : []),
    ...(load ? [['load', 'a function of the application']] : []),
    ...(dependsOn === null ? [] : [['dependsOn', dependsOn === 'ttl' ? dependsOn : dependsOn.join(', ')]]),
    ...(follow === null ? [] : [['follow', follow]]),
    ...(format === null ? [] : [['format', format]]),
    ...(version === null ? [] : [['version', String(version)]]),
    ['largePayloadBytes', formatBytes(options.largePayloadBytes)],
    ...(options.compressAboveBytes === null
      ? []
      : [['compress.above', formatBytes(options.compressAboveBytes)]]),
  ]
}

/** How values are stored, and what compression has saved of those that all processes have written. */
function storedLines(atRest, figures) {
  if (atRest === null) return []
  const { after, before } = figures.sinceStart.compressedBytes
  const saved = before === 0 ? '' : `: ${formatBytes(before)} were stored as ${formatBytes(after)}`
  return [['at rest', `${atRest}${saved}`]]
}

const durationOf = (ms) => (ms === 0 ? 'off' : formatDuration(ms))

function memoryOf({ hot, maxBytes, maxEntries, ttlMs }) {
  const which = hot === null ? '' : `rows with ${formatCount(hot)} reads a second and more, `
  return `${which}for ${durationOf(ttlMs)}, at most ${formatCount(maxEntries)} rows and ${formatBytes(maxBytes)}`
}
