import { eventually } from '../support/eventually.js'
import type { AuctionServer } from './auction-server.js'

/** Resolves once the application hears that some process follows its database. */
export async function untilFollowed({ url }: Pick<AuctionServer, 'url'>): Promise<void> {
  await eventually(async () => {
    const ready = (await (await fetch(`${url}/readyz`)).json()) as { follow: { lagMs?: number } }
    return ready.follow.lagMs !== undefined
  })
}
