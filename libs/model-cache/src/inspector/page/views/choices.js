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
    radio('sinceStart', 'since start'),
    radio('recent', 'last 5 s'),
  )
}

/** The choice of one process or of all. */
export function createProcessChoice({ settings }, onChange) {
  const control = select([['', 'All processes']], '', (value) => {
    settings.process = value
    onChange()
  })
  return {
    element: field('Process', control),
    show({ processes }) {
      const names = [...processNames(processes)].toSorted(([, one], [, other]) => one.localeCompare(other))
      if (!processes.some(({ id }) => id === settings.process)) settings.process = ''
      showOptions(control, [['', 'All processes'], ...names], settings.process)
    },
  }
}
