/** How loads wait for permits and for each other. A mutant breaks one of the rules. */
export const protocol = {
  /** What a source reads from caches is loaded under the permit of its own load, also if that has been given up meanwhile. */
  nestedNeedNoPermit: 'while they run' as 'while they run' | 'while somebody waits for them' | 'never',
  /** A nested read takes a load along that waits for a permit, instead of waiting for it. */
  queuedAreTakenAlong: true,
  /** Which calls a nested read does not wait for, because they wait for its own. */
  avoidsCircles: 'through other calls' as 'through other calls' | 'of two calls' | 'never',
  /** Which calls are known to wait for the load of a row that several have requested at once. */
  waitsAreNoted: 'of all callers' as 'of all callers' | 'of the first caller',
  /** A call that joins the load of another one is known to wait for it. */
  joinedWaitsAreNoted: true,
  /** A row that a call around the caller loads, for another of its rows perhaps, is loaded again. */
  sharedRowsAreLoadedAgain: true,
  /** Rows that are loaded again are fewer than the call around has, or each is alone. */
  againLoadsFewerRows: true,
  /** A row fails that a call around loads alone: it needs itself. */
  rowsThatNeedThemselvesFail: true,
  /** One cache has three quarters of the permits at most. */
  cachesSharePermits: true,
  /** A load that takes too long fails, and returns its permit. */
  loadsHaveDeadline: true,
  /** Whose reads are refused when calls have been given up: of nested calls, those for which nobody else waits. */
  readsEnd: 'with all callers' as 'with all callers' | 'with the call around',
  /** A read shows which call it is nested in. */
  contextIsKept: true,
}

export type Rules = Readonly<typeof protocol>
