/** When the demo's rows were made, and when its auction runs: fixed, so that every seeding writes the same rows. */
export const CREATED = new Date('2024-09-02T09:00:00.000Z')
export const AUCTION_OPENED = new Date('2025-01-10T18:00:00.000Z')
/** The last bid that the demo invents lies before this. */
export const LAST_INVENTED_BID = new Date('2025-01-17T22:00:00.000Z')
/** Far ahead, so that a demo database can be bid in whenever it was seeded. */
export const AUCTION_CLOSES = new Date('2045-01-31T22:00:00.000Z')
/** For the few lots that are over, to show what a late bidder is told. */
export const EARLY_CLOSE = new Date('2025-01-20T22:00:00.000Z')
