import { heading, link } from './parts.js'
import { element } from '../kit/element.js'

/** For an address that no view has. */
export function createUnknownView() {
  return {
    title: 'Unknown address',
    elements: [
      heading('Unknown address', 'No view has this address.'),
      element('p', {}, link('#/', 'Show all caches')),
    ],
  }
}
