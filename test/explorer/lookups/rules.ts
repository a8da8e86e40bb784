/** The rules of lookups of which the protocol consists. A mutant has one of them otherwise. */
export const protocol = {
  /** FENCE and RELEASE cover the keys that a row enters. */
  enteredKeysAreFenced: true,
  /** The row from which the entered keys are taken. */
  keysAreOf: 'the row after the write' as
    'the row after the write' | 'the row before the write' | 'a row read before the write',
  /** A row that may take another place in a list enters its key. */
  reorderingEnters: true,
  /** What writers of unknown keys do to the existence epoch. */
  unknownKeys: 'change the epoch twice' as
    'change the epoch twice' | 'change the epoch at RELEASE' | 'change nothing',
  /** A writer of unknown keys fences the existence epoch in the register. */
  existenceIsFenced: true,
  /** What a writer does to lookups that it does not understand. */
  unknownLookups: 'changes the existence epoch' as 'changes the existence epoch' | 'ignores them',

  /** Rows that have left the list are left out. */
  rowsAreValidated: true,
  /** A row that has another place than when the entry was loaded counts as one that has left. */
  placesAreValidated: true,
  /** The lists that are loaded again if a row is left out. */
  reloads: 'all lists' as 'all lists' | 'complete lists' | 'incomplete lists',
  /** A unique key whose row has another one is loaded again. */
  uniqueReloads: true,
  order: 'of the database' as 'of the database' | 'sorted by the reader',

  leaseIsTaken: 'before the load' as 'before the load' | 'after the load' | 'never',
  /** Entries with ids carry the existence epoch. */
  entriesCarryEpoch: true,
  /** Negative entries carry the existence epoch: of rows, and of unique keys. */
  absencesCarryEpoch: true,
  epochIsRead: 'before the load' as 'before the load' | 'after the load',

  /** Rows of a load are primed under leases, which marks refuse. */
  primeNeedsLease: true,
  /** Leases leave the mark of a write in the guard. */
  leaseKeepsMark: true,
  /** RELEASE marks the guard also beside fences of others. */
  releaseMarksBesideFences: true,
  /** A fence that expires leaves a mark. */
  expiredFenceMarks: true,
  /** The register remembers writes to unknown rows, and refuses PRIME. */
  registerMarks: true,
  /** Rows are primed only if their query began less than leaseMs ago. */
  primesAreRecent: true,

  /** Messages drop the entries of entered keys from L1, not only rows. */
  messagesDropEntries: true,
  /** Nothing goes into L1 whose clock has advanced since the read began. */
  l1ChecksClock: true,
  /** A read that went past L1 drops there what it does not put. */
  l1DropsWhatIsNotPut: true,

  /** What a process bypasses after a FENCE that failed, until its invalidation has arrived. */
  outageBypasses: 'rows and entries' as 'rows and entries' | 'rows',

  /** When a cache with lookups describes them. */
  describes: 'before it joins' as 'before it joins' | 'after it stores',
  /** When a writer asks for the catalogue's version. */
  writersAsk: 'beside FENCE' as 'beside FENCE' | 'before FENCE',
}

export type Rules = Readonly<typeof protocol>
