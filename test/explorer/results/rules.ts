/** What decides whether a result counts. A mutant breaks one of the rules. */
export const protocol = {
  /** What of a result has to be current. */
  compares: 'what it has of each part' as 'what it has of each part' | 'what it has of the first part',
  /** When a load gets the epochs and nonces that its result will carry. */
  epochsAreRead: 'before the load' as 'before the load' | 'after the load',
  /** While a fence stands in a register, nothing is stored that reads its model, and nothing counts. */
  fencesAreRespected: true,
  newEpochAtFence: true,
  newEpochAtRelease: true,
  /** A command that runs twice gives a new epoch each time. */
  epochsNeverComeBack: true,
  /** Nothing is stored before the writes have ended whose fences the store may have lost. */
  lossIsAwaited: true,
  /** After an unknown end, the fence stands on until the database has decided. */
  unknownEndHolds: true,
  /** What ends results of a model without a write of an extended client. */
  invalidation: 'new epoch' as 'new epoch' | 'removal of what is stored',
  /** A result past its ttl is served only if it would count otherwise. */
  expiredMustCount: true,
  /** A load that may not store anything has no epochs: a result past its ttl is not served in place of its error. */
  unknownEpochsDiffer: true,

  /** The values of a scope whose markers a write fences. */
  fencedValues: 'had and have' as 'had and have' | 'have' | 'those of lists that rows join',
  /** A marker is stored only while no fence stands in its guard. */
  markersRespectFences: true,
  /** A marker that is stored again has another nonce. */
  noncesDiffer: true,
  /** A marker counts under the epoch of the register that was current before it was made, which writes to unknown rows renew. */
  markersHaveEpoch: true,
}

export type Rules = Readonly<typeof protocol>
