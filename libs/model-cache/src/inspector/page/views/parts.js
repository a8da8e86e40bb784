import { element } from '../kit/element.js'
import { formatRelative, formatTime } from '../kit/format.js'

/** Parts that several views share. */

export function heading(title, ...hint) {
  const lead = hint.length > 0 ? [element('p', { class: 'hint lead' }, ...hint)] : []
  return element('header', { class: 'view-head' }, element('h1', {}, title), ...lead)
}

export function section(title, ...children) {
  return element('section', { class: 'card' }, element('h2', {}, title), ...children)
}

/**
 * A table which scrolls within its frame on a narrow screen.
 *
 * @param columns for each, its header: a text, or an element of a `th`
 * @param rows for each, the cells, the first of which is the header of its row; or a `tr`
 */
export function table({ caption, columns, rows, empty }) {
  const id = `table-${caption.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`
  if (rows.length === 0) return element('p', { class: 'hint' }, empty)
  return element(
    'div',
    { class: 'frame', role: 'region', tabindex: 0, 'aria-labelledby': id },
    element(
      'table',
      {},
      element('caption', { id }, caption),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          columns.map((column) =>
            typeof column === 'string' ? element('th', { scope: 'col' }, column) : column,
          ),
        ),
      ),
      element(
        'tbody',
        {},
        rows.map((row) => (Array.isArray(row) ? tableRow(row) : row)),
      ),
    ),
  )
}

export function tableRow([head, ...cells], attributes = {}) {
  return element(
    'tr',
    attributes,
    element('th', { scope: 'row' }, head),
    cells.map((cell) => element('td', {}, cell)),
  )
}

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
