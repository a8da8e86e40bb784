/** Returns the value of a field of a row: `customer.id`. All paths of one model in one query have the same row. */
export type Arguments = (path: string) => unknown

/** One place in the code of an application: the model and the operation, and its arguments. */
export type CallSite = readonly [query: string, args: (a: Arguments) => object]
