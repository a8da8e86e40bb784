import { Redis } from 'ioredis'
import { describeValkey, startValkey } from '../../../../test/support/valkey-server.ts'

export interface StormServer {
  /** For example `Valkey 9.1.2`. */
  readonly name: string
  /** A `redis://` URL, the only scheme that all clients know. */
  readonly url: string
  /** For what this process itself wants of the server. */
  readonly client: Redis
  /** Leaves the database as empty as it was. */
  close(): Promise<void>
}

/**
 * Connects to the server of VALKEY_URL, or starts one.
 *
 * @throws when the server does not answer, or has keys, which a storm would delete
 */
export async function openServer(): Promise<StormServer> {
  const given = process.env.VALKEY_URL
  const started = given ? undefined : await startValkey()
  const url = (given ?? started!.url).replace(/^valkey/, 'redis')
  const name = await describeValkey(url)
  const client = new Redis(url)
  const stored = await client.dbsize()
  if (stored > 0) {
    client.disconnect()
    throw new Error(
      `The database of VALKEY_URL holds ${stored} keys, which a storm would delete. Name an empty one, ` +
        'or unset VALKEY_URL to have a server started.',
    )
  }
  return {
    name,
    url,
    client,
    async close() {
      await client.flushdb()
      client.disconnect()
      await started?.stop()
    },
  }
}
