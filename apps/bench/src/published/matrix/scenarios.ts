import type { Type } from 'arktype'
import { createRandom } from '#prisma/demo/random.js'
import { auctionItem } from '../../harness/fixtures/models.ts'

/** Users that read items of their own, of a number of fields, in one tick. */
export interface Scenario {
  readonly name: string
  readonly items: number
  readonly fields: number
  readonly users: number
}

export const SCENARIOS: readonly Scenario[] = [
  { name: 'small', items: 10, fields: 10, users: 5 },
  { name: 'medium', items: 50, fields: 20, users: 10 },
  { name: 'large', items: 100, fields: 30, users: 25 },
  { name: 'heavy', items: 107, fields: 40, users: 50 },
]

/** Of a lot. Dates and decimals are a quarter to two fifths of the first ten, twenty, thirty and forty. */
const FIELDS = [
  'id lot name description status category startsAt endsAt startingPrice currentBid',
  'itemType donorName images bidCount sortOrder currentBidderId showLabel fairMarketValue minimumNextBid createdAt',
  'fundraiserId itemId label imageCover unitsAvailable outbidBidderIds terms minimumIncrement reservePrice updatedAt',
  'currentBidId collectionNotes reservePriceEnabled hideReservePrice hideBidder hidePrice liveAuctionItem sealedBidItem ' +
    'buyNowPrice lastBidAt',
].flatMap((ten) => ten.split(' ')) as readonly (keyof (typeof auctionItem.rows)[number])[]

export interface Row {
  readonly id: string
}

/** The rows of a scenario, the same in every process. */
export type ScenarioRows = ReturnType<typeof buildScenario>

export function buildScenario({ name, items, fields, users }: Scenario) {
  const random = createRandom(`model-cache bench matrix ${name}`)
  const names = FIELDS.slice(0, fields)
  const templates = auctionItem.rows.map((row) =>
    Object.fromEntries(names.map((field) => [field, row[field]])),
  )
  const reads = users * items
  const rows = new Map<string, Row>(
    Array.from({ length: 2 * reads }, (_, index) => {
      const row = { ...templates[index % templates.length]!, id: random.uuid() }
      return [row.id, row]
    }),
  )
  const ids = [...rows.keys()]
  return {
    /** Twice as many as are read: the others fill memory layers. */
    rows,
    /** Ids of the rows that each user reads; all different. */
    idsByUser: Array.from({ length: users }, (_, user) => ids.slice(user * items, (user + 1) * items)),
    /** Ids of all rows that are read. */
    wanted: ids.slice(0, reads),
    /** Ids of as many rows that are not read. */
    others: ids.slice(reads),
    schema: (auctionItem.schema as unknown as { pick(...names: string[]): Type }).pick(...names),
    /** Dates and decimals among the fields. */
    places: Object.entries(auctionItem.places).filter(([field]) => names.includes(field as never)),
  }
}
