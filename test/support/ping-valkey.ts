import { connect } from 'node:net'

/** Sends PING over a bare socket. A server that requires a password is up as well. */
export function pingValkey(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.setTimeout(1000, () => socket.destroy(new Error('no reply to PING')))
    socket.once('error', reject)
    socket.once('data', (reply) => {
      socket.destroy()
      if (/^(\+PONG|-NOAUTH)/.test(String(reply))) resolve()
      else reject(new Error(`PING was answered with ${JSON.stringify(String(reply))}`))
    })
    socket.once('close', () => reject(new Error('closed without a reply to PING')))
  })
}
