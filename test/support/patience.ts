/**
 * `deadlineMs` of stores in specs that are not about deadlines: no machine keeps a command waiting for so long, however busy
 * it is. With the default, a quarter of a second, a busy machine gives other answers: rows that are not stored, loads in place
 * of hits.
 */
export const patientMs = 10_000

/** `transactionOptions` of clients in specs: longer than any pause of a busy machine, for which Prisma would end a transaction. */
export const patientTransactions = { timeout: 60_000, maxWait: 60_000 }
