const LOT = 'id lot name category donorName status currentBid minimumNextBid bidCount'

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
  return auctionPage?.items ?? []
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
  return placed.auctionItem
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
