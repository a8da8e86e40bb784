/** How loads wait for permits and for each other. A mutant breaks one of the rules. */
export interface Rules {
  /** What a source reads from caches is loaded under the permit of its own load. */
  readonly nestedNeedNoPermit: boolean
  /** A nested read takes a load along that waits for a permit, instead of waiting for it. */
  readonly queuedAreTakenAlong: boolean
  /** Which calls a nested read does not wait for, because they wait for its own. */
  readonly avoidsCircles: 'through other calls' | 'of two calls' | 'never'
  /** Which calls are known to wait for the load of a row that several have requested at once. */
  readonly waitsAreNoted: 'of all callers' | 'of the first caller'
  /** A call that joins the load of another one is known to wait for it. */
  readonly joinedWaitsAreNoted: boolean
  /** A row that a call around the caller loads, for another of its rows perhaps, is loaded again. */
  readonly sharedRowsAreLoadedAgain: boolean
  /** Rows that are loaded again are fewer than the call around has, or each is alone. */
  readonly againLoadsFewerRows: boolean
  /** A row fails that a call around loads alone: it needs itself. */
  readonly rowsThatNeedThemselvesFail: boolean
  /** One cache has three quarters of the permits at most. */
  readonly cachesSharePermits: boolean
  /** A load that takes too long fails, and returns its permit. */
  readonly loadsHaveDeadline: boolean

  /** A read shows which call it is nested in. */
  readonly contextIsKept: boolean
}

export const protocol: Rules = {
  nestedNeedNoPermit: true,
  queuedAreTakenAlong: true,
  avoidsCircles: 'through other calls',
  waitsAreNoted: 'of all callers',
  joinedWaitsAreNoted: true,
  sharedRowsAreLoadedAgain: true,
  againLoadsFewerRows: true,
  rowsThatNeedThemselvesFail: true,
  cachesSharePermits: true,
  loadsHaveDeadline: true,

  contextIsKept: true,
}
