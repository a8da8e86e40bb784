import { emptySnapshot, type RegisterSnapshot } from '../protocol/index.js'
import type { Coherence } from './context.js'
import { mappedRegister } from './mapped-register.js'

/** Knows whether the changes of caches are followed in the database's log. */
export interface FollowState {
  /** @param layout of the cache; see {@link DescribedCache.layout} */
  isFollowed(layout: string): boolean
  /**
   * Adds a listener that is called when changes are followed again, before anything counts as followed.
   *
   * @returns a function that removes it
   */
  onResume(listener: () => void): () => void
}

/** Has reads go to the source, and store nothing, while the changes of a cache are not followed. */
export function bypassInGaps(
  coherence: Coherence,
  state: FollowState,
  cache: { readonly layout: string },
): Coherence {
  const isFollowed = (): boolean => state.isFollowed(cache.layout)
  const ifFollowed = (reading: Promise<RegisterSnapshot>): Promise<RegisterSnapshot> => {
    // An answer that arrives after a gap may show the store as it was in the gap.
    const wasFollowed = isFollowed()
    return reading.then((snapshot) => (wasFollowed && isFollowed() ? snapshot : emptySnapshot))
  }
  const { backplane, register } = coherence
  return {
    ...coherence,
    // The register is read in a gap as well, so that the cache stays listed. What was read before has an epoch that ends with the gap.
    register: mappedRegister(register, ifFollowed),
    backplane: {
      get isUp() {
        return isFollowed() && (backplane?.isUp ?? true)
      },
      start: () => backplane?.start(),
    },
  }
}
