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
    notices.map(({ kind, parts, users, remedy }) =>
      element(
        'li',
        { 'data-kind': kind },
        element('p', {}, shown(parts)),
        users ? element('p', { class: 'detail' }, element('b', {}, 'For users: '), users) : [],
        remedy ? element('p', { class: 'detail' }, element('b', {}, 'What to do: '), shown(remedy)) : [],
      ),
    ),
  )
}

const shown = (parts) => parts.map((part) => (typeof part === 'string' ? part : link(part.href, part.text)))
