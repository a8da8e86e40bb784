import { once } from 'node:events'
import { connect } from 'node:net'
import type { ValkeyClient } from './valkey-client.js'

/**
 * Says that a server which a client cannot reach with TLS answers without it: such a server waits for the rest of what it takes for a command, so
 * that the client only ever learns of a time-out.
 *
 * @param limitMs how long the server may take
 */
export async function tlsAdvice(client: ValkeyClient, limitMs: number): Promise<readonly string[]> {
  // A cluster has no host of its own, and sentinels say where the server is.
  const { tls, host, port = 6379, sentinels } = client.isCluster ? {} : optionsOf(client)
  if (!tls || !host || sentinels || !(await answersInTheClear(host, port, limitMs))) return []
  return [
    `Valkey at ${host}:${port} speaks no TLS, which is configured: rows come from their source. Give a valkey:// URL instead of ` +
      'valkeys:// or rediss://, without `tls`, or the port on which the server speaks TLS.',
  ]
}

function optionsOf(client: ValkeyClient): {
  tls?: object
  host?: string
  port?: number
  sentinels?: unknown
} {
  return (client as { options: object }).options
}

async function answersInTheClear(host: string, port: number, limitMs: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    socket.write('PING\r\n')
    const [reply] = (await once(socket, 'data', { signal: AbortSignal.timeout(limitMs) })) as [Buffer]
    // Also an error is an answer, such as that a password is missing.
    return /^[+-]/.test(reply.toString('latin1'))
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
