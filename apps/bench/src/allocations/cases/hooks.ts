/** Names of what the problems of a count are about. */
export const UNCONFIGURED = 'nothing configured'
/** There, and at rest: has to cost what is not there at all. */
export const AT_REST = ['an observer that does nothing', 'writes, no transaction', 'pressure, at rest']
