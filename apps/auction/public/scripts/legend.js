import { element } from './element.js'

/**
 * Names of lines and their values now, so that a chart can be read without seeing its colours.
 *
 * @returns the element of each line, whose colour is the line's, and what shows values
 */
export function createLegend(list, names) {
  const values = names.map(() => element('span', { class: 'value' }, '–'))
  const items = names.map((name, index) =>
    element('li', { class: `series-${index + 1}` }, element('span', { class: 'name' }, name), values[index]),
  )
  list.replaceChildren(...items)
  return {
    items,
    /** @param texts undefined where nothing is known */
    show: (texts) => texts.forEach((text, index) => (values[index].textContent = text ?? '–')),
  }
}
