const LOT = 'id lot name category donorName status minimumNextBid bidCount bids(first: 1) { amount }'

/** An error of the API. `details` has its extensions, such as `code`. */
export class ApiError extends Error {
  constructor({ message, extensions }) {
    super(message)
    this.details = extensions ?? {}
  }
}

export async function findAuctions() {
  const { fundraisers } = await request('{ fundraisers { id name charityName locale currency } }')
  return fundraisers
}

export async function findLots(fundraiserId) {
  const query = `query ($id: ID!) { auctionPage(fundraiserId: $id) { items { ${LOT} } } }`
  const { auctionPage } = await request(query, { id: fundraiserId })
  return (auctionPage?.items ?? []).map(withHighestBid)
}

/** Returns these lots as they are now. */
export async function refreshLots(ids) {
  const query = `query ($ids: [ID!]!) { auctionItems(ids: $ids) { ${LOT} } }`
  const { auctionItems } = await request(query, { ids })
  return auctionItems.map(withHighestBid)
}

/** The price is read from the bids, so that a bid counts whoever inserted it. `null` without bids. */
function withHighestBid({ bids, ...lot }) {
  return { ...lot, highestBid: bids[0]?.amount ?? null }
}

/** Names of bidders of this auction, by id. The demo has no sessions, so the page picks a bidder. */
export async function findBidders(fundraiserId) {
  const query =
    'query ($id: ID!) { auctionPage(fundraiserId: $id) { items { bids(first: 1) { bidder { id displayName } } } } }'
  const { auctionPage } = await request(query, { id: fundraiserId })
  const bidders = auctionPage?.items.flatMap(({ bids }) => bids.map(({ bidder }) => bidder)) ?? []
  return new Map(bidders.filter(Boolean).map(({ id, displayName }) => [id, displayName]))
}

/** @returns the lot after the bid */
export async function placeBid(input) {
  const query = `mutation ($input: PlaceBidInput!) { placeBid(input: $input) { auctionItem { ${LOT} } } }`
  const { placeBid: placed } = await request(query, { input })
  return withHighestBid(placed.auctionItem)
}

async function request(query, variables) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = await response.json()
  if (errors) throw new ApiError(errors[0])
  return data
}
