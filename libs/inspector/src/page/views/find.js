import { element } from '../kit/element.js'
import { cacheName, isSameCache } from '../processes.js'
import { entryHref, rowHref } from '../routes.js'
import { formOf, typedText } from '../typed-text.js'
import { field, select, showOptions } from './parts.js'
import { createRecent } from './recent.js'

/** What people type into a field of an id or a key, which no keyboard of a phone should correct. */
const TYPED = {
  autocapitalize: 'off',
  autocomplete: 'off',
  autocorrect: 'off',
  enterkeyhint: 'go',
  maxlength: 1000,
  required: true,
  spellcheck: 'false',
}

/**
 * A form that leads to a row by its id, or to the entry of a lookup by its key: of one cache, or of any.
 *
 * @param settings `find` remembers the choices beyond a view
 * @param fixed whether there is one cache
 */
export function createFind({ settings }, { isFixed = false } = {}) {
  let caches = []
  let cache
  const cacheChoice = select([], '', (index) => {
    cache = caches[Number(index)]
    settings.find = { cache, by: '' }
    showBy()
  })
  const byChoice = select([], '', (by) => {
    settings.find = { cache, by }
    showFields()
  })
  const [cacheField, byField] = [field('Cache', cacheChoice), field('By', byChoice)]
  const fields = element('div', { class: 'key-fields' })
  const submit = element('button', { type: 'submit', class: 'primary' }, 'Show')
  const form = element(
    'form',
    { class: 'find' },
    ...(isFixed ? [] : [cacheField]),
    byField,
    fields,
    submit,
    element('p', { class: 'hint shortcut' }, element('kbd', {}, 'Ctrl K'), ' leads here from every view'),
  )
  const recent = createRecent()

  const lookupOf = () => cache?.lookups.find(({ name }) => name === byChoice.value)
  const keyFieldsOf = () => lookupOf()?.keyFields ?? cache?.idFields ?? []
  const showRecent = () => {
    if (cache) recent.show(cache, lookupOf()?.name ?? null)
  }
  const showFields = () => {
    showRecent()
    fields.replaceChildren(
      ...keyFieldsOf().map(({ name, kind }) => {
        const form = formOf(kind)
        return field(form ? `${name}, ${form}` : name, element('input', { name, ...TYPED }))
      }),
    )
  }
  const showBy = () => {
    const options = [
      ['', 'id'],
      ...(cache?.lookups ?? []).map(({ kind, name }) => [
        name,
        `${kind === 'unique' ? 'key' : 'list'} ${name}`,
      ]),
    ]
    const { by, cache: of } = settings.find
    const isKnown = of && cache && isSameCache(of, cache) && options.some(([name]) => name === by)
    showOptions(byChoice, options, isKnown ? by : '')
    byField.hidden = options.length < 2
    showFields()
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const inputs = [...fields.querySelectorAll('input')]
    const text = typedText(keyFieldsOf(), Object.fromEntries(inputs.map(({ name, value }) => [name, value])))
    const lookup = lookupOf()
    location.hash = lookup ? entryHref(cache, lookup.name, text) : rowHref(cache, text)
  })
  return {
    element: element('div', {}, form, recent.element),
    /** Keeps what is typed unless the caches have changed. */
    show(next) {
      const isSame = next.length === caches.length && next.every((one, i) => isSameCache(one, caches[i]))
      caches = next
      if (isSame) return showRecent()
      const { find } = settings
      const index = find.cache ? next.findIndex((one) => isSameCache(one, find.cache)) : -1
      cache = next[Math.max(0, index)]
      const options = next.map((one, i) => [String(i), cacheName(one)])
      showOptions(cacheChoice, options, String(Math.max(0, index)))
      showBy()
    },
  }
}
