import { LAYERS } from '../inspector-page/charts/layers.js'
import { element } from '../inspector-page/kit/element.js'
import { formatShare } from '../inspector-page/kit/format.js'

/** Creates the table of layers that answered: one line for rows, and one for each lookup in the metrics. */
export function createLayerTable() {
  const card = document.getElementById('lookups')
  const [head, body] = card.querySelectorAll('thead tr, tbody')
  head.append(...Object.values(LAYERS).map((name) => element('th', { scope: 'col' }, name)))
  return {
    show({ answered, lookups }) {
      const names = Object.keys(lookups).toSorted()
      card.hidden = names.length === 0
      body.replaceChildren(line('rows', answered), ...names.map((name) => line(name, lookups[name])))
    },
  }
}

function line(name, shares) {
  const [model, ...lookup] = name.split('.')
  const head = element(
    'th',
    { scope: 'row' },
    model,
    ...lookup.flatMap((part) => ['.', element('wbr'), part]),
  )
  const cells = Object.keys(LAYERS).map((layer) =>
    element('td', {}, shares ? formatShare(shares[layer]) : '–'),
  )
  return element('tr', {}, head, ...cells)
}
