import { findAuctions, findBidders, findLots, placeBid, refreshLots } from './auction-api.js'
import { createBidDialog } from './bid-dialog.js'
import { element } from '../inspector-page/kit/element.js'
import { createMoneyFormat } from './money.js'
import { createLotCard } from './lot-card.js'
import { watchScreen } from './screen.js'

/** As many as floor.css shows at first. */
const FIRST_LOTS = 8
/** How often the lots on the screen are loaded, so that a bid of somebody else appears within a second. */
const REFRESH_MS = 500
/** As many as the API answers at once. */
const MAX_REFRESHED = 100

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
  let placedBids = 0
  const show = (lot) => {
    const own = ownBids.get(lot.id)
    const bidState = own === undefined ? undefined : own === lot.highestBid ? 'leading' : 'outbid'
    cards.get(lot.id)?.show(lot, bidState)
  }
  const place = async (lot, amount) => {
    const after = await placeBid({ auctionItemId: lot.id, bidderId: byId('bidder').value, amount })
    placedBids++
    ownBids.set(after.id, after.highestBid)
    show(after)
    byId('floor-status').textContent = `Your bid of ${money(after.highestBid)} on ${after.lot} leads.`
  }
  const bid = (lot) => openDialog(lot, money, (amount) => place(lot, amount))
  for (const lot of lots) cards.set(lot.id, createLotCard(lot, { money, bid }))
  showFirst([...cards.values()])

  const screen = watchScreen(new Map([...cards].map(([id, { card }]) => [card, id])))
  let timer
  const refresh = async () => {
    const ids = document.hidden ? [] : screen.visible().slice(0, MAX_REFRESHED)
    const placedBefore = placedBids
    try {
      const lots = ids.length > 0 ? await refreshLots(ids) : []
      // A response from before a bid of this visitor would show it as outbid.
      if (placedBids === placedBefore) lots.forEach(show)
    } catch {
      // Tries again soon. The header shows the lost connection.
    }
    // After the response, so that a slow server gets no second request.
    if (timer !== undefined) timer = setTimeout(refresh, REFRESH_MS)
  }
  timer = setTimeout(refresh, REFRESH_MS)
  return {
    close() {
      clearTimeout(timer)
      timer = undefined
      screen.close()
    },
  }
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
