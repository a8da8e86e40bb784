import { once } from 'node:events'
import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Redis, RedisOptions } from 'ioredis'
import type { ValkeyClient } from './valkey-client.js'

/**
 * Advice for a client with TLS whose server does not speak TLS, and for one without TLS whose server does. The former would only see a
 * timeout, because the server waits for the rest of what it takes for a command, and the latter a connection that ends.
 *
 * @param failure of a command
 * @param limitMs how long to wait for the server's answer
 */
export async function tlsAdvice(
  client: ValkeyClient,
  failure: Error,
  limitMs: number,
): Promise<readonly string[]> {
  // A cluster has no single host, and sentinels name the server.
  const { sentinels, ...options } = client.isCluster ? {} : (client as Redis).options
  const problem = sentinels ? undefined : await tlsProblem(options, failure, limitMs)
  return problem === undefined ? [] : [`${problem} Until then all rows come from their source.`]
}

/** How a connection fails whose server waits for a handshake. */
const isLost = /closed|ECONNRESET|EPIPE|Protocol error|there is no connection$|connection was lost/

/** Says what is wrong and what to do if only one side of a connection speaks TLS; undefined if that is not the case. */
export async function tlsProblem(
  { tls, host, port = 6_379 }: Pick<RedisOptions, 'tls' | 'host' | 'port'>,
  { message }: Error,
  limitMs: number,
): Promise<string | undefined> {
  if (!host) return undefined
  if (tls)
    return (await answersInTheClear(host, port, limitMs))
      ? `TLS is configured, but Valkey at ${host}:${port} does not speak TLS: use a valkey:// URL instead of valkeys:// or rediss://, ` +
          'without `tls`, or the port on which the server speaks TLS.'
      : undefined
  return isLost.test(message) && (await answersInTls(host, port, limitMs))
    ? `Valkey at ${host}:${port} speaks TLS, and the connection does not: use a valkeys:// URL instead of valkey:// or redis://, set ` +
        '`tls`, or use the port on which the server answers without TLS.'
    : undefined
}

/** Whether a server shakes hands, whatever its certificate: nothing is sent to it. */
async function answersInTls(host: string, port: number, limitMs: number): Promise<boolean> {
  const socket = connectTls({ host, port, rejectUnauthorized: false })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(limitMs) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Whether a server answers without TLS. */
async function answersInTheClear(host: string, port: number, limitMs: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    socket.write('PING\r\n')
    const [reply] = (await once(socket, 'data', { signal: AbortSignal.timeout(limitMs) })) as [Buffer]
    // An error is an answer, too, for example about a missing password.
    return /^[+-]/.test(reply.toString('latin1'))
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
