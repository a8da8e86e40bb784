/**
 * `deadlineMs` of stores in specs that are not about deadlines: no machine keeps a command waiting for so long, however busy
 * it is. With the default, a quarter of a second, a busy machine gives other answers: rows that are not stored, loads in place
 * of hits.
 */
export const patientMs = 10_000
