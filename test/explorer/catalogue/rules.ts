/** The catalogue's part of the protocol as the rules of which it consists. A mutant breaks one of them. */
export interface Rules {
  /** A cache puts its entry before its fingerprint joins the register, or after it has begun to store rows. */
  readonly putsEntry: 'before it joins' | 'after it stores'
  /** A cache that has joined the register puts its entry again. */
  readonly putsAgain: boolean
  /** A process that finds itself not in the register describes its cache before it joins: it may have been cleaned up. */
  readonly describesToRejoin: boolean
  /** An entry that is added makes its cache wait for the writers that asked before. */
  readonly addedEntriesWait: boolean
  /** If only one of hash and epoch key was lost, `written` is set. */
  readonly halfLostIsWritten: boolean
  /** If both were lost, and the process that finds it knew them, `written` is set. */
  readonly knownIsWritten: boolean
  /** Nothing is cleaned up by a register that was created, or lost, not long ago: running processes may not be in it yet. */
  readonly newRegistersAreIncomplete: boolean
  /** Clean-up spares entries that were put again since they were read: no two puts of an entry look alike. */
  readonly removalComparesPuts: boolean
  /** What clean-up reads first. */
  readonly cleanUpReadsFirst: 'entries' | 'registers'
  /** A fingerprint stays in the register until the values that were stored under it have expired. */
  readonly listingsOutliveValues: boolean
  /** An extension does not list a fingerprint that has left the register. */
  readonly extensionsNeedListing: boolean
  /** No lease is granted once the listing has ended that its read found. */
  readonly leasesEndWithListing: boolean

  /** When a writer asks for the catalogue's version. */
  readonly writersAsk: 'beside FENCE' | 'when they begin'
  /** What FENCE is for. Its process may have forgotten entries meanwhile, when the hash was lost. */
  readonly fences: 'entries known when the write began' | 'entries known by then'
  /** A writer fences, before COMMIT, the entries that it learns of by its ask. */
  readonly newEntriesAreFenced: boolean
  /** What a writer does to a cache whose description it does not understand. */
  readonly unknownDescription: 'fences the whole cache' | 'is ignored'
  /** When a writer whose ask failed empties the caches it did not know. */
  readonly catchesUp: 'after COMMIT' | 'as soon as the store answers'

  /** Values carry the catalogue epoch, and readers read it with them. */
  readonly valuesCarryCatalogueEpoch: boolean
  /** When the catalogue epoch that FILL stores was read. */
  readonly catalogueEpochIsRead: 'before the load' | 'after the load'
}

export const protocol: Rules = {
  putsEntry: 'before it joins',
  putsAgain: true,
  describesToRejoin: true,
  addedEntriesWait: true,
  halfLostIsWritten: true,
  knownIsWritten: true,
  newRegistersAreIncomplete: true,
  removalComparesPuts: true,
  cleanUpReadsFirst: 'entries',
  listingsOutliveValues: true,
  extensionsNeedListing: true,
  leasesEndWithListing: true,

  writersAsk: 'beside FENCE',
  fences: 'entries known when the write began',
  newEntriesAreFenced: true,
  unknownDescription: 'fences the whole cache',
  catchesUp: 'after COMMIT',

  valuesCarryCatalogueEpoch: true,
  catalogueEpochIsRead: 'before the load',
}
