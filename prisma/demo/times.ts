/** Fixed dates, so that every seeding writes the same rows. */
export const CREATED = new Date('2024-09-02T09:00:00.000Z')
export const AUCTION_OPENED = new Date('2025-01-10T18:00:00.000Z')
/** All bids are older. */
export const LAST_BID = new Date('2025-01-17T22:00:00.000Z')
/** Far in the future, so that the auction stays open. */
export const AUCTION_CLOSES = new Date('2045-01-31T22:00:00.000Z')
/** For the few closed lots, which show how late bids are rejected. */
export const EARLY_CLOSE = new Date('2025-01-20T22:00:00.000Z')
