import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { ask } from './ask.ts'
import type { Peer } from './backbone.ts'

const DEADLINE_MS = 60_000

/** A primary and its replica, as they are at the moment. */
export interface Pair {
  readonly primary: Peer
  readonly replica: Peer
}

/** Waits until one of two servers is a primary, and the other its replica and up to date. @throws after a minute */
export async function inOrder(peers: readonly [Peer, Peer]): Promise<Pair> {
  for (const deadline = Date.now() + DEADLINE_MS; ; await sleep(25)) {
    const infos = await Promise.all(peers.map(replicationOf))
    for (const [place, primary] of peers.entries()) {
      const isPrimary = /role:master/.test(infos[place]!) && /state=online/.test(infos[place]!)
      if (isPrimary && /role:slave[^]*master_link_status:up/.test(infos[1 - place]!))
        return { primary, replica: peers[1 - place]! }
    }
    if (Date.now() > deadline) throw new Error(`Replication is not in order:\n${infos.join('\n')}`)
  }
}

/** Waits until a server has become a primary. @throws after a minute */
export async function promoted(peer: Peer): Promise<void> {
  for (const deadline = Date.now() + DEADLINE_MS; ; await sleep(25)) {
    const info = await replicationOf(peer)
    if (info.includes('role:master')) return
    if (Date.now() > deadline) throw new Error(`A replica is not promoted:\n${info}`)
  }
}

/** Empty if the server does not answer. */
async function replicationOf({ port }: Peer): Promise<string> {
  const info = (client: Redis): Promise<string> => client.info('replication')
  return Promise.race([ask(port, info).catch(() => ''), sleep(500, '')])
}
