import { element } from '../kit/element.js'
import { cacheName, isSameCache } from '../processes.js'
import { entryHref, rowHref } from '../routes.js'
import { formOf, typedText } from '../typed-text.js'
import { field, select, showOptions } from './parts.js'

/** A form for the fields of an id or a key, one input each, which leads to an address. */
export function createKeyForm({ fields, submit, hrefOf }) {
  const inputs = fields.map(({ name }) =>
    element('input', { name, required: true, autocomplete: 'off', spellcheck: 'false', maxlength: 1000 }),
  )
  const labels = fields.map(({ name, kind }, i) => {
    const form = formOf(kind)
    return field(form ? `${name}, ${form}` : name, inputs[i])
  })
  const form = element(
    'form',
    { class: 'key-form' },
    labels,
    element('button', { type: 'submit', class: 'primary' }, submit),
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const values = Object.fromEntries(inputs.map(({ name, value }) => [name, value.trim()]))
    location.hash = hrefOf(typedText(fields, values))
  })
  return form
}

export const createRowIdForm = (cache) =>
  createKeyForm({ fields: cache.idFields, submit: 'Show the row', hrefOf: (id) => rowHref(cache, id) })

export const createLookupForm = (cache, { name, keyFields }) =>
  createKeyForm({
    fields: keyFields,
    submit: 'Show the entry',
    hrefOf: (key) => entryHref(cache, name, key),
  })

/** A form for a row of any cache. */
export function createRowForm() {
  let caches = []
  const choice = select([], '', () => showForm())
  const place = element('div')
  const showForm = () => {
    const cache = caches[Number(choice.value)]
    place.replaceChildren(...(cache ? [createRowIdForm(cache)] : []))
  }
  return {
    element: element('div', { class: 'row-form' }, field('Cache', choice), place),
    show(next) {
      const isSame = next.length === caches.length && next.every((cache, i) => isSameCache(cache, caches[i]))
      if (isSame) return
      const chosen = Math.max(
        0,
        next.findIndex(
          (cache) => caches[Number(choice.value)] && isSameCache(cache, caches[Number(choice.value)]),
        ),
      )
      caches = next
      const options = next.map((cache, i) => [String(i), cacheName(cache)])
      showOptions(choice, options, String(chosen))
      showForm()
    },
  }
}
