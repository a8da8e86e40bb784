/** How a write became known: to the client that made it, or from the log of the database. */
export type WriteSource = 'client' | 'log'
