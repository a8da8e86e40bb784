import { element } from '../kit/element.js'
import { formatCount, formatRelative, formatTime } from '../kit/format.js'
import { morph } from '../kit/morph.js'

/** Parts that several views share. */

export function heading(title, ...hint) {
  const lead = hint.length > 0 ? [element('p', { class: 'hint lead' }, ...hint)] : []
  return element('header', { class: 'view-head' }, element('h1', {}, title), ...lead)
}

export function section(title, ...children) {
  return element('section', { class: 'card' }, element('h2', {}, title), ...children)
}

/** A section that is shown while it has something to say. `show` takes its content; none hides it. */
export function createOptionalSection(title) {
  const content = element('div', { class: 'stack' })
  const whole = section(title, content)
  whole.hidden = true
  return {
    element: whole,
    show(...children) {
      const all = children.flat()
      morph(content, all)
      whole.hidden = all.length === 0
    },
  }
}

/**
 * A table which scrolls within its frame. On a narrow screen, each row is a block instead, whose cells have the headers of their columns
 * as labels, so that nothing is beyond an edge.
 *
 * @param columns for each, its `title`, and optionally: `header`, the element of its `th`; of the cells on a narrow screen, `isWide` if they
 *   need a whole line, `isHalf` for half of one, `isMinor` if they are left out, `isPlain` if they need no label, and `isPlace` if they
 *   alone are shown of a row whose class is `brief`. A text is a title.
 * @param rows for each, its cells, the first of which is its header, or `{ cells, attributes }`
 */
export function table({ caption, columns, rows, empty }) {
  if (rows.length === 0) return element('p', { class: 'hint' }, empty)
  const id = `table-${caption.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`
  const all = columns.map((column) => (typeof column === 'string' ? { title: column } : column))
  const headers = all.map(
    ({ header, title }) => header ?? element('th', { scope: 'col', role: 'columnheader' }, title),
  )
  return element(
    'div',
    { class: 'frame', role: 'region', tabindex: 0, 'aria-labelledby': id },
    element(
      'table',
      // A narrow screen shows its parts as blocks, which must not take their meaning away.
      { role: 'table' },
      element('caption', { id }, caption),
      element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, headers)),
      element(
        'tbody',
        { role: 'rowgroup' },
        rows.map((row) => tableRow(all, Array.isArray(row) ? { cells: row } : row)),
      ),
    ),
  )
}

function tableRow([, ...columns], { cells: [head, ...cells], attributes = {} }) {
  return element(
    'tr',
    { role: 'row', ...attributes },
    element('th', { scope: 'row', role: 'rowheader' }, head),
    cells.map((cell, i) => tableCell(columns[i], cell)),
  )
}

function tableCell(column, cell) {
  const { isHalf = false, isMinor = false, isPlace = false, isPlain = false, isWide = false, title } = column
  const classes = { half: isHalf, minor: isMinor, none: cell === NONE, place: isPlace, 'wide-cell': isWide }
  const names = Object.keys(classes).filter((name) => classes[name])
  return element(
    'td',
    { role: 'cell', class: names.join(' '), ...(!isPlain && { 'data-label': title }) },
    cell,
  )
}

/** What a cell without a value has. A narrow screen leaves it out. */
export const NONE = '–'

/** Ends the caption of a table that has the first of all rows. */
export const firstOf = (most, all) => (all > most ? `: ${most} of ${formatCount(all)}` : '')

export const link = (href, text) => element('a', { href }, text)

/** A time of day and how long ago it was. */
export function timeOf(iso, now) {
  const text = `${formatTime(iso, now)}, ${formatRelative(iso, now)}`
  return element('time', { datetime: iso }, text)
}

export function field(label, control) {
  return element('label', { class: 'field' }, label, control)
}

export function select(options, selected, onChange, attributes = {}) {
  const control = element('select', attributes)
  showOptions(control, options, selected)
  control.addEventListener('change', () => onChange(control.value))
  return control
}

/** @param options pairs of value and text */
export function showOptions(control, options, selected) {
  const nodes = options.map(([value, text]) => element('option', { value }, text))
  const isSame =
    control.options.length === nodes.length &&
    nodes.every(
      ({ value, text }, i) => control.options[i].value === value && control.options[i].text === text,
    )
  if (!isSame) control.replaceChildren(...nodes)
  control.value = selected
}

export function button(text, onClick, attributes = {}) {
  const control = element('button', { type: 'button', ...attributes }, text)
  control.addEventListener('click', onClick)
  return control
}
