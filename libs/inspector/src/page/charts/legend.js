import { element } from '../kit/element.js'

/**
 * Shows the names of lines with their current values, so that a chart is readable without its colours.
 *
 * @returns the elements of the lines, which have the colours of the lines, and `show`
 */
export function createLegend(list, names) {
  const values = names.map(() => element('span', { class: 'value' }, '–'))
  const items = names.map((name, index) =>
    element('li', { class: `series-${index + 1}` }, element('span', { class: 'name' }, name), values[index]),
  )
  list.replaceChildren(...items)
  return {
    items,
    /** @param latest formatted values, `undefined` if unknown */
    show: (latest) => latest.forEach((value, index) => (values[index].textContent = value ?? '–')),
  }
}
