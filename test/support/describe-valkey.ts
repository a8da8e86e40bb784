import { Redis } from 'ioredis'
import { reasonOf } from './reason-of.ts'

/**
 * What answers at the URL that VALKEY_URL gave: "Valkey 9.1.2".
 *
 * @throws when nothing does; the message does not repeat the URL
 */
export async function describeValkey(url: string): Promise<string> {
  // ioredis knows only its own scheme's names.
  const client = new Redis(url.replace(/^valkey/, 'redis'), { lazyConnect: true, retryStrategy: () => null })
  // The cause comes as an event; connect() itself only says that the connection is closed.
  let cause: unknown
  client.on('error', (error) => (cause = error))
  try {
    await client.connect()
    const info = await client.info('server')
    const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1]
    return valkey ? `Valkey ${valkey}` : `Redis ${/^redis_version:(\S+)/m.exec(info)?.[1]}`
  } catch (error) {
    const reason = reasonOf(cause ?? error)
    throw new Error(`VALKEY_URL is set, but that server does not answer: ${reason}`, { cause: error })
  } finally {
    client.disconnect()
  }
}
