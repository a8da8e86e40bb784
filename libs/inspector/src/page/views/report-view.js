import { ApiError } from '../api.js'
import { element } from '../kit/element.js'
import { isSameCache } from '../processes.js'
import { askToInvalidate } from './actions.js'
import { button } from './parts.js'

/**
 * A view of one row or entry. It asks for its report when it opens, after an action, and when the reader wants it again: each time
 * costs the database a query.
 *
 * @param head the heading of the view
 * @param cache whose row or entry it is
 * @param target what the reader may invalidate
 * @param find asks for the report
 * @param update called with each report on all processes
 * @param show returns the `answer`, a sentence, and further `content`
 */
export function createReportView(context, { title, head, cache, target, find, show, update }) {
  const answer = element(
    'p',
    { class: 'answer', role: 'status' },
    'Asking the store, the database and the processes …',
  )
  const content = element('div', { class: 'stack' })
  const controls = element(
    'div',
    { class: 'controls' },
    button('Read again', () => load()),
  )
  let isOpen = true
  let mayInvalidate = false
  let loads = 0

  const load = async () => {
    const own = ++loads
    content.setAttribute('aria-busy', 'true')
    let shown
    try {
      shown = show(await find())
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      shown = { answer: error.message, content: [] }
    }
    // A slow report of before an action says nothing any more.
    if (!isOpen || own < loads) return
    content.removeAttribute('aria-busy')
    answer.textContent = shown.answer
    content.replaceChildren(...shown.content)
  }
  const act = async () => {
    if (await askToInvalidate(context, cache, target)) await load()
  }
  void load()
  return {
    title,
    elements: [head, answer, controls, content],
    update() {
      update?.(context.report)
      const known = context.report.caches.find((other) => isSameCache(other, cache))
      if (mayInvalidate || !known?.actions.includes('invalidate')) return
      mayInvalidate = true
      controls.append(button('Invalidate', act, { class: 'danger' }))
    },
    close: () => (isOpen = false),
  }
}
