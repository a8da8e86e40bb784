import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'

export interface TlsProxy {
  readonly port: number
  stop(): Promise<void>
}

/** Speaks TLS for a server that does not, as stunnel does: the Valkey of the tests is built without TLS. */
export async function startTlsProxy(target: number): Promise<TlsProxy> {
  const sockets = new Set<TLSSocket>()
  const server = createServer({ key, cert }, (socket) => {
    sockets.add(socket)
    const upstream = connect(target, '127.0.0.1')
    socket.on('error', () => {}).on('close', () => upstream.destroy())
    upstream.on('error', () => {}).on('close', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Of this proxy alone, signed by nobody. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnjYzt3YnsuvNIFAi
BR5Xhpompc3sg2KOFoRqFpevw1WhRANCAARbBWhL5cx0QOzCbFDkpWaSLBiVp8tB
6ZgfFm9M3tR8SDyWWSpDoqCuac/BiTOG/4/EcOL5kFG/y3Q2wy22UKKG
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBfzCCASWgAwIBAgIURoeS2C1SuCSq70Z62X8oikULsH8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODEyMjMzNVoYDzIxMjYxMTA0
MTIyMzM1WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARbBWhL5cx0QOzCbFDkpWaSLBiVp8tB6ZgfFm9M3tR8SDyWWSpDoqCu
ac/BiTOG/4/EcOL5kFG/y3Q2wy22UKKGo1MwUTAdBgNVHQ4EFgQUa9XaXNtA0HE4
V8r1zY2lnqnZKo0wHwYDVR0jBBgwFoAUa9XaXNtA0HE4V8r1zY2lnqnZKo0wDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEA5zsqTMBgSajfgBGyWRYw
DgqdDN04KYF2I4wXn888CoECIBn6B986BfESIP8lDvpcQ3xEMs19k3yLTRXgrlfm
pDWO
-----END CERTIFICATE-----`
