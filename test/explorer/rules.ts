/** The protocol as the rules of which it consists. A mutant has one of them otherwise. */
export interface Rules {
  /** No value is set without a lease. */
  readonly fillNeedsLease: boolean
  /** FILL sets `v` only if the guard still holds its token. */
  readonly fillCompares: boolean
  /** FILL deletes the lease. */
  readonly fillEndsLease: boolean
  readonly token: 'unique' | 'of the client'
  /** A fence keeps readers from taking a lease. */
  readonly fencesStopLeases: boolean
  readonly loadsFrom: 'primary' | 'replica' | 'snapshot of before the lease'
  /** What a load has read within a transaction of its own process is not stored. */
  readonly sharedLoadsAreNotStored: boolean
  /** The loads that a read may coalesce with after a miss, instead of loading itself. */
  readonly coalescesWith: 'load whose lease the guard holds' | 'load under an unmoved clock' | 'any load'

  /** A LEASE that runs twice takes a lease that is not that of its first run. */
  readonly repeatedLeaseDiffers: boolean
  /** A RELEASE of the register that runs twice brings another epoch than its first run. */
  readonly repeatedEpochDiffers: boolean
  /** PRIME takes a lease, which a mark refuses. */
  readonly primeNeedsLease: boolean
  /** Leases leave the mark of a write in the guard. */
  readonly leaseKeepsMark: boolean
  /** RELEASE marks the guard also beside fences of others. */
  readonly releaseMarksBesideFences: boolean
  /** A fence that expires leaves a mark. */
  readonly expiredFenceMarks: boolean
  /** The register remembers writes to unknown rows, and refuses PRIME. */
  readonly registerMarks: boolean

  readonly fenced: 'before COMMIT' | 'after COMMIT' | 'never'
  /** A fence stands when the replica of Valkey has it as well. */
  readonly fencesAreAcknowledged: boolean
  readonly fenceUnlinks: boolean
  /** FENCE replaces a lease that the guard holds. */
  readonly fenceEndsLease: boolean
  /** FENCE keeps the fences of other writers. */
  readonly fencesAreSet: boolean
  /** Each fence has a deadline of its own, and the guard lives as long as the longest. */
  readonly fencesExpireAlone: boolean
  /** fenceMs is longer than any COMMIT takes. */
  readonly fenceOutlastsCommit: boolean
  /** A writer that does not know how its transaction ended leaves its fence to expire. */
  readonly unknownEndKeepsFence: boolean
  readonly releaseUnlinks: boolean
  readonly releaseEndsLease: boolean
  /** RELEASE removes its own fence and no other. */
  readonly releaseSparesFences: boolean
  /** FENCE and RELEASE unlink `v`; else they only mark it as expired, and it may be served stale. */
  readonly invalidatedIsGone: boolean
  /** Reads inside a transaction pass the cache by. */
  readonly transactionsBypass: boolean
  /** After a FENCE that failed, the process passes the row by until the invalidation has arrived. */
  readonly outageBypasses: boolean

  /** The process that writes advances its clock at FENCE. */
  readonly fenceAdvancesClock: boolean
  /** The process that writes advances its clock at RELEASE. */
  readonly releaseAdvancesClock: boolean
  /** A value goes into L1 only if the clock has not advanced since its read began. */
  readonly l1ChecksClock: boolean
  /** A read that went past L1 and is not put there takes the row out of it, and advances the clock. */
  readonly l1DropsWhatIsNotPut: boolean
  /** Where L1 is on, a read coalesces with the one in flight, if the clock has not advanced since. */
  readonly l1SharesReads: boolean
  /** A read that began before the row was hot is not put into L1: it may be older than one that was not put either. */
  readonly heatingAdvancesClock: boolean
  /** The clock advances for a row that is not hot as well. */
  readonly clockCoversColdRows: boolean
  /** A gap or a missed heartbeat turns L1 off. */
  readonly gapTurnsL1Off: boolean
  /** After it has subscribed again, a process advances its clock before L1 is on. */
  readonly subscribingAdvancesClock: boolean

  readonly writersFence: 'every live fingerprint' | 'their own fingerprint'
  /** A fingerprint that is new reads without filling for the join window. */
  readonly joinWindow: boolean
  /** A fingerprint is retired only when its values have reached their TTL, not only its pods are gone. */
  readonly retiringAwaitsValues: boolean
}

export const protocol: Rules = {
  fillNeedsLease: true,
  fillCompares: true,
  fillEndsLease: true,
  token: 'unique',
  fencesStopLeases: true,
  loadsFrom: 'primary',
  sharedLoadsAreNotStored: true,
  coalescesWith: 'load whose lease the guard holds',

  repeatedLeaseDiffers: true,
  repeatedEpochDiffers: true,
  primeNeedsLease: true,
  leaseKeepsMark: true,
  releaseMarksBesideFences: true,
  expiredFenceMarks: true,
  registerMarks: true,

  fenced: 'before COMMIT',
  fencesAreAcknowledged: true,
  fenceUnlinks: true,
  fenceEndsLease: true,
  fencesAreSet: true,
  fencesExpireAlone: true,
  fenceOutlastsCommit: true,
  unknownEndKeepsFence: true,
  releaseUnlinks: true,
  releaseEndsLease: true,
  releaseSparesFences: true,
  invalidatedIsGone: true,
  transactionsBypass: true,
  outageBypasses: true,

  fenceAdvancesClock: true,
  releaseAdvancesClock: true,
  l1ChecksClock: true,
  l1DropsWhatIsNotPut: true,
  l1SharesReads: true,
  heatingAdvancesClock: true,
  clockCoversColdRows: true,
  gapTurnsL1Off: true,
  subscribingAdvancesClock: true,

  writersFence: 'every live fingerprint',
  joinWindow: true,
  retiringAwaitsValues: true,
}
