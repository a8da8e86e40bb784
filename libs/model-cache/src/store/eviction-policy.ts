import type { Cluster } from 'ioredis'
import type { ValkeyClient } from './valkey-client.js'

/**
 * Whether a server, or a primary of a cluster, evicts keys before their time when its memory is full. `INFO` says so everywhere; managed
 * servers forbid `CONFIG GET`.
 */
export async function evictsKeys(client: ValkeyClient): Promise<boolean> {
  const servers = client.isCluster ? (client as Cluster).nodes('master') : [client]
  const infos = await Promise.all(servers.map((server) => server.info('memory')))
  return infos.some((info) => {
    const { maxmemory, maxmemory_policy: policy } = Object.fromEntries(
      Array.from(info.matchAll(/^(maxmemory\w*):(\S+)/gm), ([, name, value]) => [name, value]),
    )
    return maxmemory !== '0' && policy !== 'noeviction'
  })
}

/** How long a server is taken to keep its policy. */
const lifeMs = 30_000

/** The answer of {@link evictsKeys}, remembered for half a minute. */
export class EvictionPolicy {
  readonly #ask: () => Promise<boolean>
  #answer: Promise<boolean> | undefined
  #askedAtMs = 0

  constructor(ask: () => Promise<boolean>) {
    this.#ask = ask
  }

  evicts(): Promise<boolean> {
    const nowMs = performance.now()
    if (this.#answer && nowMs - this.#askedAtMs < lifeMs) return this.#answer
    this.#askedAtMs = nowMs
    const answer = this.#ask()
    answer.catch(() => (this.#answer = undefined))
    return (this.#answer = answer)
  }
}
