/** What a page calls the layers, in the order in which they are read. */
export const LAYERS = { tick: 'coalesced', l1: 'memory', store: 'store', source: 'database' }
