import { element } from '../inspector-page/kit/element.js'
import { lotPicture } from './lot-picture.js'

/**
 * Creates the card of a lot.
 *
 * @param bid called with the current lot when the visitor clicks the button
 * @returns the element, its button, and `show`, which updates the lot
 */
export function createLotCard(lot, { money, bid }) {
  let current = lot
  const name = element('h3', {})
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
      name,
      element('p', { class: 'donor' }, lot.donorName),
      element('p', { class: 'money' }, label, price, count),
      button,
      element(
        'a',
        { class: 'inspect', href: inspectorHref(lot), 'aria-label': `Inspect ${lot.lot} in the cache` },
        'Inspect',
      ),
    ),
  )
  button.addEventListener('click', () => bid(current))

  /** @param bidState 'leading' or 'outbid' if the visitor has bid on the lot */
  const show = (next, bidState) => {
    const moved = next.highestBid !== current.highestBid
    current = next
    const isOpen = next.status === 'OPEN'
    name.textContent = next.name
    label.textContent = next.highestBid === null ? 'Opens at' : isOpen ? 'Highest bid' : 'Sold for'
    price.textContent = money(next.highestBid ?? next.minimumNextBid)
    count.textContent = next.bidCount === 1 ? '1 bid' : `${next.bidCount} bids`
    button.textContent = isOpen ? `Bid ${money(next.minimumNextBid)}` : 'Bidding closed'
    button.setAttribute('aria-label', `${button.textContent}: ${next.lot}, ${next.name}`)
    button.disabled = !isOpen
    card.dataset.bidState = bidState ?? ''
    badge.textContent = bidState === 'leading' ? 'You lead' : bidState === 'outbid' ? 'Outbid' : ''
    if (moved) flash(card)
  }
  show(lot)
  return { card, button, show }
}

const inspectorHref = ({ id }) => `/inspector#/row//AuctionItem?${new URLSearchParams({ id })}`

function flash(card) {
  card.classList.remove('moved')
  // Forces a reflow, so that the animation starts again.
  void card.offsetWidth
  card.classList.add('moved')
}
