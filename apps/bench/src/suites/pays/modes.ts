/** Prisma alone. */
export const PLAIN = 'plain'
export const ROWS = 'rows'
export const RESULTS = 'results'
export const L1 = 'l1'
/** Results that each write to one of their models ends, whatever row it is. */
export const WHOLE = 'whole'

/** How rows are kept, by the name of the client that reads them. */
export const modes = {
  [ROWS]: {},
  [RESULTS]: {},
  [L1]: { rows: 'shared', l1: { ttl: '10m', maxEntries: 50_000 } },
  [WHOLE]: {},
} as const

const ttl = '1h'
/** What ends the results of all clients but that of rows alone, by model. */
const byCustomer = {
  Customer: { ttl, by: 'id' },
  Address: { ttl, by: 'customerId' },
  Purchase: { ttl, by: 'customerId' },
}
export const resultsOf = (name: string) => ({
  Country: ttl,
  Product: ttl,
  Price: ttl,
  Label: ttl,
  ...(name === WHOLE ? { Customer: ttl, Address: ttl, Purchase: ttl } : byCustomer),
})

/** The clients of requests that only read, and of mixes with writes. */
export const readers = [PLAIN, ROWS, RESULTS, L1]
export const writers = [...readers, WHOLE]
