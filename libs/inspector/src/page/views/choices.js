import { element } from '../kit/element.js'
import { processNames } from '../processes.js'
import { field, select, showOptions } from './parts.js'

/** The choice of a time window, which all tables of figures share. */
export function createWindowChoice({ settings }, onChange) {
  const radio = (value, text) => {
    const input = element('input', { type: 'radio', name: 'window', value })
    input.checked = settings.window === value
    input.addEventListener('change', () => {
      settings.window = value
      onChange()
    })
    return element('label', {}, input, element('span', {}, text))
  }
  return element(
    'fieldset',
    { class: 'segments' },
    element('legend', {}, 'Figures'),
    radio('last5Minutes', 'last 5 min'),
    radio('lastHour', 'last hour'),
  )
}

/** The choice of one process or of all. Hidden while there is one. */
export function createProcessChoice({ settings }, onChange) {
  const control = select([['', 'All processes']], '', (value) => {
    settings.process = value
    onChange()
  })
  const whole = field('Process', control)
  return {
    element: whole,
    show({ processes }) {
      const names = [...processNames(processes)].toSorted(([, one], [, other]) => one.localeCompare(other))
      if (!processes.some(({ id }) => id === settings.process)) settings.process = ''
      whole.hidden = processes.length < 2
      showOptions(control, [['', 'All processes'], ...names], settings.process)
    },
  }
}

/** The choice of an order, for screens that have no room for the headers that choose it. */
export function createOrderChoice({ settings }, onChange) {
  const control = select([], '', (key) => {
    settings.sort = { key, isDescending: key !== 'name' }
    onChange()
  })
  const whole = field('Sort by', control)
  whole.classList.add('narrow-only')
  return {
    element: whole,
    show: (columns) =>
      showOptions(
        control,
        columns.map(({ key, title }) => [key, title]),
        settings.sort?.key ?? 'name',
      ),
  }
}
