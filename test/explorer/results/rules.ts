/** What decides whether a result counts. A mutant breaks one of the rules. */
export interface Rules {
  /** What of a result has to be current. */
  readonly compares: 'what it has of each part' | 'what it has of the first part'
  /** When a load gets the epochs and nonces that its result will carry. */
  readonly epochsAreRead: 'before the load' | 'after the load'
  /** While a fence stands in a register, nothing is stored that reads its model, and nothing counts. */
  readonly fencesAreRespected: boolean
  readonly newEpochAtFence: boolean
  readonly newEpochAtRelease: boolean
  /** A command that runs twice gives a new epoch each time. */
  readonly epochsNeverComeBack: boolean
  /** Nothing is stored before the writes have ended whose fences the store may have lost. */
  readonly lossIsAwaited: boolean
  /** After an unknown end, the fence stands on until the database has decided. */
  readonly unknownEndHolds: boolean
  /** What ends results of a model without a write of an extended client. */
  readonly invalidation: 'new epoch' | 'removal of what is stored'
  /** A result past its ttl is served only if it would count otherwise. */
  readonly expiredMustCount: boolean
  /** A load that may not store anything has no epochs: a result past its ttl is not served in place of its error. */
  readonly unknownEpochsDiffer: boolean

  /** The values of a scope whose markers a write fences. */
  readonly fencedValues: 'had and have' | 'have' | 'those of lists that rows join'
  /** A marker is stored under a lease, as rows are. */
  readonly markersAreLeased: boolean
  /** A marker that is stored again has another nonce. */
  readonly noncesDiffer: boolean
  /** A marker counts under the epoch of the register that was current before its lease, which writes to unknown rows renew. */
  readonly markersHaveEpoch: boolean
}

export const protocol: Rules = {
  compares: 'what it has of each part',
  epochsAreRead: 'before the load',
  fencesAreRespected: true,
  newEpochAtFence: true,
  newEpochAtRelease: true,
  epochsNeverComeBack: true,
  lossIsAwaited: true,
  unknownEndHolds: true,
  invalidation: 'new epoch',
  expiredMustCount: true,
  unknownEpochsDiffer: true,

  fencedValues: 'had and have',
  markersAreLeased: true,
  noncesDiffer: true,
  markersHaveEpoch: true,
}
