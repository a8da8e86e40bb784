import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../../../test/support/eventually.js'
import { probeLiveness, type LivenessProber } from './probe-liveness.ts'

describe('probeLiveness', () => {
  let server: Server
  let prober: LivenessProber

  beforeEach(async () => {
    server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    prober = probeLiveness(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, 10)
  })

  afterEach(() => {
    prober.stop()
    server.close()
    server.closeAllConnections()
  })

  it('counts from when a probe was due, even if a blocked process could not send it', async () => {
    await sleep(30)
    const from = performance.now()
    while (performance.now() < from + 100);
    const to = performance.now()
    const latencies = await prober.latencies(from, to)
    const answeredAt = performance.now()
    // One every ten milliseconds; none has a response before the end of the block.
    expect(latencies.length).toBeGreaterThanOrEqual(Math.floor((to - from) / 10))
    for (const [index, latency] of latencies.entries()) {
      expect(latency).toBeGreaterThanOrEqual(to - (from + (index + 1) * 10))
      expect(latency).toBeLessThanOrEqual(answeredAt - (from + index * 10))
    }
  })

  it('continues while earlier probes have no response', async () => {
    server.removeAllListeners('request')
    const held: (() => void)[] = []
    server.on('request', (_, response) => held.push(() => response.end('ok')))
    const from = performance.now()
    await eventually(() => held.length >= 3)
    for (const release of held) release()
    server.on('request', (_, response) => response.end('ok'))
    await expect(prober.latencies(from, from + 20)).resolves.toHaveLength(2)
  })

  it('fails without a server', async () => {
    server.close()
    server.closeAllConnections()
    const from = performance.now()
    await expect(prober.latencies(from, from + 1_000)).rejects.toThrow(
      'The liveness endpoint does not respond: ',
    )
  })
})
