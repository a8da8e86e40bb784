import { once } from 'node:events'
import { connect } from 'node:net'
import type { ValkeyClient } from './valkey-client.js'

/**
 * Advice for a client with TLS whose server does not speak TLS. Such a server waits for the rest of what it takes for a command, so the
 * client would only see a timeout.
 *
 * @param limitMs how long to wait for the server's answer
 */
export async function tlsAdvice(client: ValkeyClient, limitMs: number): Promise<readonly string[]> {
  // A cluster has no single host, and sentinels name the server.
  const { tls, host, port = 6379, sentinels } = client.isCluster ? {} : optionsOf(client)
  if (!tls || !host || sentinels || !(await answersInTheClear(host, port, limitMs))) return []
  return [
    `TLS is configured, but Valkey at ${host}:${port} does not speak TLS, so all rows come from their source. Use a valkey:// URL instead ` +
      'of valkeys:// or rediss://, without `tls`, or the port on which the server speaks TLS.',
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

/** Whether a server answers without TLS. */
export async function answersInTheClear(host: string, port: number, limitMs: number): Promise<boolean> {
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
