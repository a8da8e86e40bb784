/** The catalogue's part of the protocol as the rules of which it consists. A mutant breaks one of them. */
export const protocol = {
  /** A cache puts its entry before its fingerprint joins the register, or after it has begun to store rows. */
  putsEntry: 'before it joins' as 'before it joins' | 'after it stores',
  /** A cache that has joined the register puts its entry again. */
  putsAgain: true,
  /** A process that finds itself not in the register describes its cache before it joins: it may have been cleaned up. */
  describesToRejoin: true,
  /** An entry that is added makes its cache wait for the writers that asked before. */
  addedEntriesWait: true,
  /** If only one of hash and epoch key was lost, `written` is set. */
  halfLostIsWritten: true,
  /** If both were lost, and the process that finds it knew them, `written` is set. */
  knownIsWritten: true,
  /** Nothing is cleaned up by a register that was created, or lost, not long ago: running processes may not be in it yet. */
  newRegistersAreIncomplete: true,
  /** Clean-up spares entries that were put again since they were read: no two puts of an entry look alike. */
  removalComparesPuts: true,
  /** What clean-up reads first. */
  cleanUpReadsFirst: 'entries' as 'entries' | 'registers',
  /** A fingerprint stays in the register until the values that were stored under it have expired. */
  listingsOutliveValues: true,
  /** An extension does not list a fingerprint that has left the register. */
  extensionsNeedListing: true,
  /** No lease is granted once the listing has ended that its read found. */
  leasesEndWithListing: true,

  /** When a writer asks for the catalogue's version. */
  writersAsk: 'beside FENCE' as 'beside FENCE' | 'when they begin',
  /** What FENCE is for. Its process may have forgotten entries meanwhile, when the hash was lost. */
  fences: 'entries known when the write began' as
    'entries known when the write began' | 'entries known by then',
  /** A writer fences, before COMMIT, the entries that it learns of by its ask. */
  newEntriesAreFenced: true,
  /** What a writer does to a cache whose description it does not understand. */
  unknownDescription: 'fences the whole cache' as 'fences the whole cache' | 'is ignored',
  /** When a writer whose ask failed empties the caches it did not know. */
  catchesUp: 'after COMMIT' as 'after COMMIT' | 'as soon as the store answers',

  /** Values carry the catalogue epoch, and readers read it with them. */
  valuesCarryCatalogueEpoch: true,
  /** When the catalogue epoch that FILL stores was read. */
  catalogueEpochIsRead: 'before the load' as 'before the load' | 'after the load',
}

export type Rules = Readonly<typeof protocol>
