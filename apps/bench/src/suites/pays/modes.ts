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
/** The field by whose values the results of a model end, of all clients but one. */
const by: Readonly<Record<string, string>> = { Customer: 'id', Address: 'customerId', Purchase: 'customerId' }
const models = ['Country', 'Product', 'Price', 'Label', ...Object.keys(by)]

/** How results are kept by all clients but that of rows alone, by model. */
export const resultsOf = (name: string) =>
  Object.fromEntries(
    models.map((model) => [
      model,
      { ttl, ...(name !== WHOLE && { by: by[model] }), ...(name === L1 && { l1: modes[L1].l1 }) },
    ]),
  )

/** The clients of requests that only read, and of mixes with writes. */
export const readers = [PLAIN, ROWS, RESULTS, L1]
export const writers = [...readers, WHOLE]
