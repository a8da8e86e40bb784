import { element } from './element.js'
import { lotPicture } from './lot-picture.js'

/**
 * The card of a lot.
 *
 * @param bid called with the lot as it is then, when somebody wants to bid
 * @returns the element, and what shows a lot as it is now
 */
export function createLotCard(lot, { money, bid }) {
  let current = lot
  const label = element('span', { class: 'price-label' })
  const price = element('strong', { class: 'price' })
  const count = element('span', { class: 'count' })
  const button = element('button', { type: 'button', class: 'primary' })
  const badge = element('span', { class: 'badge' })
  const card = element(
    'li',
    { class: 'lot' },
    element(
      'div',
      { class: 'frame' },
      lotPicture(lot.category),
      element('span', { class: 'number' }, lot.lot),
      badge,
    ),
    element(
      'div',
      { class: 'body' },
      element('h3', {}, lot.name),
      element('p', { class: 'donor' }, lot.donorName),
      element('p', { class: 'money' }, label, price, count),
      button,
    ),
  )
  button.addEventListener('click', () => bid(current))

  /** @param standing 'leading' or 'outbid' when the reader has bid on it */
  const show = (next, standing) => {
    const moved = next.currentBid !== current.currentBid
    current = next
    const isOpen = next.status === 'OPEN'
    label.textContent = next.currentBid === null ? 'Opens at' : isOpen ? 'Highest bid' : 'Sold for'
    price.textContent = money(next.currentBid ?? next.minimumNextBid)
    count.textContent = next.bidCount === 1 ? '1 bid' : `${next.bidCount} bids`
    button.textContent = isOpen ? `Bid ${money(next.minimumNextBid)}` : 'This lot is over'
    button.setAttribute('aria-label', `${button.textContent}: ${next.lot}, ${next.name}`)
    button.disabled = !isOpen
    card.dataset.standing = standing ?? ''
    badge.textContent = standing === 'leading' ? 'You lead' : standing === 'outbid' ? 'Outbid' : ''
    if (moved) flash(card)
  }
  show(lot)
  return { card, button, show }
}

function flash(card) {
  card.classList.remove('moved')
  // Read, so that the animation begins anew.
  void card.offsetWidth
  card.classList.add('moved')
}
