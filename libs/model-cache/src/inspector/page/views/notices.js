import { element } from '../kit/element.js'
import { link } from './parts.js'

/**
 * Shows notices in their order.
 *
 * @param notices of noticesOf
 */
export function noticeList(notices) {
  return element(
    'ul',
    { class: 'notices' },
    notices.map(({ kind, parts }) =>
      element(
        'li',
        { 'data-kind': kind },
        parts.map((part) => (typeof part === 'string' ? part : link(part.href, part.text))),
      ),
    ),
  )
}
