/** The protocol as the rules of which it consists. A mutant has one of them otherwise. */
export const protocol = {
  /** No value is set without a lease. */
  fillNeedsLease: true,
  /** FILL sets `v` only if the guard still holds its token. */
  fillCompares: true,
  /** FILL deletes the lease. */
  fillEndsLease: true,
  token: 'unique' as 'unique' | 'of the client',
  /** A fence keeps readers from taking a lease. */
  fencesStopLeases: true,
  loadsFrom: 'primary' as 'primary' | 'replica' | 'snapshot of before the lease',
  /** What a load has read within a transaction of its own process is not stored. */
  sharedLoadsAreNotStored: true,
  /** The loads that a read may coalesce with after a miss, instead of loading itself. */
  coalescesWith: 'load whose lease the guard holds' as
    'load whose lease the guard holds' | 'load under an unmoved clock' | 'any load',

  /** A LEASE that runs twice takes a lease that is not that of its first run. */
  repeatedLeaseDiffers: true,
  /** A RELEASE of the register that runs twice brings another epoch than its first run. */
  repeatedEpochDiffers: true,
  /** PRIME takes a lease, which a mark refuses. */
  primeNeedsLease: true,
  /** Leases leave the mark of a write in the guard. */
  leaseKeepsMark: true,
  /** RELEASE marks the guard also beside fences of others. */
  releaseMarksBesideFences: true,
  /** A fence that expires leaves a mark. */
  expiredFenceMarks: true,
  /** The register remembers writes to unknown rows, and refuses PRIME. */
  registerMarks: true,

  fenced: 'before COMMIT' as 'before COMMIT' | 'after COMMIT' | 'never',
  /** A fence stands when the replica of Valkey has it as well. */
  fencesAreAcknowledged: true,
  fenceUnlinks: true,
  /** FENCE replaces a lease that the guard holds. */
  fenceEndsLease: true,
  /** FENCE keeps the fences of other writers. */
  fencesAreSet: true,
  /** Each fence has a deadline of its own, and the guard lives as long as the longest. */
  fencesExpireAlone: true,
  /** fenceMs is longer than any COMMIT takes. */
  fenceOutlastsCommit: true,
  /** A writer that does not know how its transaction ended leaves its fence to expire. */
  unknownEndKeepsFence: true,
  releaseUnlinks: true,
  releaseEndsLease: true,
  /** RELEASE removes its own fence and no other. */
  releaseSparesFences: true,
  /** FENCE and RELEASE unlink `v`; else they only mark it as expired, and it may be served stale. */
  invalidatedIsGone: true,
  /** Reads inside a transaction pass the cache by. */
  transactionsBypass: true,
  /** After a FENCE that failed, the process passes the row by until the invalidation has arrived. */
  outageBypasses: true,

  /** The process that writes advances its clock at FENCE. */
  fenceAdvancesClock: true,
  /** The process that writes advances its clock at RELEASE. */
  releaseAdvancesClock: true,
  /** A value goes into L1 only if the clock has not advanced since its read began. */
  l1ChecksClock: true,
  /** A read that went past L1 and is not put there takes the row out of it, and advances the clock. */
  l1DropsWhatIsNotPut: true,
  /** Where L1 is on, a read coalesces with the one in flight, if the clock has not advanced since. */
  l1SharesReads: true,
  /** A read that began before the row was hot is not put into L1: it may be older than one that was not put either. */
  heatingAdvancesClock: true,
  /** The clock advances for a row that is not hot as well. */
  clockCoversColdRows: true,
  /** A gap or a missed heartbeat turns L1 off. */
  gapTurnsL1Off: true,
  /** After it has subscribed again, a process advances its clock before L1 is on. */
  subscribingAdvancesClock: true,

  writersFence: 'every live fingerprint' as 'every live fingerprint' | 'their own fingerprint',
  /** A fingerprint that is new reads without filling for the join window. */
  joinWindow: true,
  /** A fingerprint is retired only when its values have reached their TTL, not only its pods are gone. */
  retiringAwaitsValues: true,
}

export type Rules = Readonly<typeof protocol>
