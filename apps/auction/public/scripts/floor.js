import { findAuctions, findBidders, findLots, placeBid } from './auction-api.js'
import { createBidDialog } from './bid-dialog.js'
import { element } from './element.js'
import { createMoneyFormat } from './format.js'
import { createLotCard } from './lot-card.js'

/** As many as floor.css shows at first. */
const FIRST_LOTS = 8
/** How often the bids of others are loaded. */
const REFRESH_MS = 4000

const byId = (id) => document.getElementById(id)

/** Shows the auction with its lots and takes bids. */
export async function openFloor() {
  const auctions = await findAuctions()
  if (auctions.length === 0) {
    byId('floor-hint').textContent = 'There is no auction yet. Run npm run seed.'
    return
  }
  const choice = byId('auction')
  choice.append(...auctions.map(({ id, name }) => element('option', { value: id }, name)))
  byId('auction-field').hidden = auctions.length === 1

  byId('more').addEventListener('click', showAll)

  const openDialog = createBidDialog()
  let floor = await showAuction(auctions[0], openDialog)
  choice.addEventListener('change', async () => {
    floor.close()
    const chosen = auctions.find(({ id }) => id === choice.value)
    floor = await showAuction(chosen, openDialog)
  })
}

async function showAuction(auction, openDialog) {
  const money = createMoneyFormat(auction)
  const [lots, bidders] = await Promise.all([findLots(auction.id), findBidders(auction.id)])
  byId('bidder').replaceChildren(...[...bidders].map(([id, name]) => element('option', { value: id }, name)))
  byId('floor-hint').textContent =
    `${auction.name}, ${lots.length} lots for ${auction.charityName}. This is a demo: bids are not binding.`

  /** Bids of this visitor, by lot. */
  const ownBids = new Map()
  const cards = new Map()
  const show = (lot) => {
    const own = ownBids.get(lot.id)
    const bidState = own === undefined ? undefined : own === lot.currentBid ? 'leading' : 'outbid'
    cards.get(lot.id)?.show(lot, bidState)
  }
  const place = async (lot, amount) => {
    const after = await placeBid({ auctionItemId: lot.id, bidderId: byId('bidder').value, amount })
    ownBids.set(after.id, after.currentBid)
    show(after)
    byId('floor-status').textContent = `Your bid of ${money(after.currentBid)} on ${after.lot} leads.`
  }
  const bid = (lot) => openDialog(lot, money, (amount) => place(lot, amount))
  for (const lot of lots) cards.set(lot.id, createLotCard(lot, { money, bid }))
  showFirst([...cards.values()])

  const refresh = setInterval(async () => {
    if (document.hidden) return
    try {
      for (const lot of await findLots(auction.id)) show(lot)
    } catch {
      // Tries again at the next interval. The header shows the lost connection.
    }
  }, REFRESH_MS)
  return { close: () => clearInterval(refresh) }
}

/** Shows a few lots at first, so that the rest of the page stays reachable on a phone. */
function showFirst(cards) {
  const lots = byId('lots')
  lots.replaceChildren(...cards.map(({ card }) => card))
  lots.dataset.shown = 'first'
  byId('more').hidden = cards.length <= FIRST_LOTS
  byId('more').textContent = `Show all ${cards.length} lots`
}

function showAll() {
  byId('lots').dataset.shown = 'all'
  byId('more').hidden = true
  // Moves the focus to the first new lot.
  const next = [...byId('lots').querySelectorAll('button:enabled')].find(
    (_button, index) => index >= FIRST_LOTS,
  )
  next?.focus()
}
