import { element, svgElement } from '../inspector-page/kit/element.js'
import { formatMs } from '../inspector-page/kit/format.js'

const DESIGNS = ['v1', 'v2', 'model-cache']
const COLUMNS = ['longestBlockMs', 'worstProbeMs', 'cpuMs']

/** @param last the last burst of each design */
export function showComparison(last) {
  const most = COLUMNS.map((column) => Math.max(0, ...DESIGNS.map((design) => last[design]?.[column] ?? 0)))
  const rows = DESIGNS.map((design) =>
    element(
      'tr',
      { 'data-row': design },
      element('th', { scope: 'row' }, design),
      ...COLUMNS.map((column, index) => cell(last[design]?.[column], most[index])),
    ),
  )
  document.getElementById('comparison').replaceChildren(...rows)
  const verdict = verdictOf(last)
  if (verdict) document.getElementById('verdict').textContent = verdict
}

function cell(value, most) {
  if (value === undefined) return element('td', {}, '–')
  // Attributes, because the content security policy forbids inline styles.
  const bar = svgElement(
    'svg',
    { class: 'bar-of', viewBox: '0 0 100 6', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svgElement('rect', { width: 100, height: 6, rx: 0, class: 'track' }),
    svgElement('rect', { width: Math.max(1, (value / most) * 100), height: 6, class: 'amount' }),
  )
  return element('td', { 'data-ms': value }, formatMs(value), bar)
}

function verdictOf({ v1, 'model-cache': ours }) {
  if (!v1 || !ours) return undefined
  const times = (column) =>
    `${(v1[column] / ours[column]).toFixed(v1[column] < 10 * ours[column] ? 1 : 0)} times`
  return (
    `For the same reads, v1 blocked the server for ${formatMs(v1.longestBlockMs)} and model-cache for ` +
    `${formatMs(ours.longestBlockMs)}. v1 used ${times('cpuMs')} the CPU time.`
  )
}
