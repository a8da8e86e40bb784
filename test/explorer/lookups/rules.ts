/** The rules of lookups of which the protocol consists. A mutant has one of them otherwise. */
export interface Rules {
  /** FENCE and RELEASE cover the keys that a row enters. */
  readonly enteredKeysAreFenced: boolean
  /** The row from which the entered keys are taken. */
  readonly keysAreOf: 'the row after the write' | 'the row before the write' | 'a row read before the write'
  /** A row that may take another place in a list enters its key. */
  readonly reorderingEnters: boolean
  /** What writers of unknown keys do to the existence epoch. */
  readonly unknownKeys: 'change the epoch twice' | 'change the epoch at RELEASE' | 'change nothing'
  /** A writer of unknown keys fences the existence epoch in the register. */
  readonly existenceIsFenced: boolean
  /** What a writer does to lookups that it does not understand. */
  readonly unknownLookups: 'changes the existence epoch' | 'ignores them'

  /** Rows that have left the list are left out. */
  readonly rowsAreValidated: boolean
  /** A row that has another place than when the entry was loaded counts as one that has left. */
  readonly placesAreValidated: boolean
  /** The lists that are loaded again if a row is left out. */
  readonly reloads: 'all lists' | 'complete lists' | 'incomplete lists'
  /** A unique key whose row has another one is loaded again. */
  readonly uniqueReloads: boolean
  readonly order: 'of the database' | 'sorted by the reader'

  readonly leaseIsTaken: 'before the load' | 'after the load' | 'never'
  /** Entries with ids carry the existence epoch. */
  readonly entriesCarryEpoch: boolean
  /** Negative entries carry the existence epoch: of rows, and of unique keys. */
  readonly absencesCarryEpoch: boolean
  readonly epochIsRead: 'before the load' | 'after the load'

  /** Rows of a load are primed under leases, which marks refuse. */
  readonly primeNeedsLease: boolean
  /** Leases leave the mark of a write in the guard. */
  readonly leaseKeepsMark: boolean
  /** RELEASE marks the guard also beside fences of others. */
  readonly releaseMarksBesideFences: boolean
  /** A fence that expires leaves a mark. */
  readonly expiredFenceMarks: boolean
  /** The register remembers writes to unknown rows, and refuses PRIME. */
  readonly registerMarks: boolean
  /** Rows are primed only if their query began less than leaseMs ago. */
  readonly primesAreRecent: boolean

  /** Messages drop the entries of entered keys from L1, not only rows. */
  readonly messagesDropEntries: boolean
  /** Nothing goes into L1 whose clock has advanced since the read began. */
  readonly l1ChecksClock: boolean
  /** A read that went past L1 drops there what it does not put. */
  readonly l1DropsWhatIsNotPut: boolean

  /** What a process bypasses after a FENCE that failed, until its invalidation has arrived. */
  readonly outageBypasses: 'rows and entries' | 'rows'

  /** When a cache with lookups describes them. */
  readonly describes: 'before it joins' | 'after it stores'
  /** When a writer asks for the catalogue's version. */
  readonly writersAsk: 'beside FENCE' | 'before FENCE'
}

export const protocol: Rules = {
  enteredKeysAreFenced: true,
  keysAreOf: 'the row after the write',
  reorderingEnters: true,
  unknownKeys: 'change the epoch twice',
  existenceIsFenced: true,
  unknownLookups: 'changes the existence epoch',

  rowsAreValidated: true,
  placesAreValidated: true,
  reloads: 'all lists',
  uniqueReloads: true,
  order: 'of the database',

  leaseIsTaken: 'before the load',
  entriesCarryEpoch: true,
  absencesCarryEpoch: true,
  epochIsRead: 'before the load',

  primeNeedsLease: true,
  leaseKeepsMark: true,
  releaseMarksBesideFences: true,
  expiredFenceMarks: true,
  registerMarks: true,
  primesAreRecent: true,

  messagesDropEntries: true,
  l1ChecksClock: true,
  l1DropsWhatIsNotPut: true,

  outageBypasses: 'rows and entries',

  describes: 'before it joins',
  writersAsk: 'beside FENCE',
}
