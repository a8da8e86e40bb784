import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { eventuallyEqual } from '../../support/eventually.ts'
import { type Direction, FaultyWire } from './faulty-wire.ts'

/** Echoes, and keeps what it receives. */
let server: Server
let got: string
let wire: FaultyWire

const PING = '*1\r\n$4\r\nPING\r\n'

beforeEach(async () => {
  got = ''
  server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      got += bytes.toString()
      socket.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  wire = await FaultyWire.start((server.address() as AddressInfo).port)
})

afterEach(async () => {
  await wire.close()
  server.close()
})

async function open(): Promise<Socket> {
  const socket = connect(wire.port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

async function answerTo(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  return String((await once(socket, 'data'))[0])
}

describe('FaultyWire', () => {
  it('carries bytes in both directions', async () => {
    expect(await answerTo(await open(), 'hello')).toBe('hello')
  })

  it('keeps the order of delayed pieces', async () => {
    const delays = [30, 0, 10, 0]
    wire.faults.delayMs = () => delays.shift() ?? 0
    const socket = await open()
    socket.write('a')
    await eventuallyEqual(() => delays.length, 3)
    socket.write('b')
    await eventuallyEqual(() => got.length, 2)
    expect(got).toBe('ab')
  })

  it('loses pieces of one direction', async () => {
    const socket = await open()
    const lost = Promise.withResolvers<void>()
    const up = new Set<Direction>(['up'])
    wire.faults.loses = Object.assign(up, {
      has: (direction: Direction) => (lost.resolve(), direction === 'up'),
    })
    socket.write('lost')
    await lost.promise
    wire.heal()
    expect(await answerTo(socket, 'found')).toBe('found')
    expect(got).toBe('found')
  })

  it('delivers held pieces after their sender has given up', async () => {
    const over = wire.hold()
    const socket = await open()
    socket.write('late')
    await new Promise((resolve) => setTimeout(resolve, 20))
    socket.destroy()
    expect(got).toBe('')
    over()
    await eventuallyEqual(() => got, 'late')
  })

  it('delivers pieces that were sent before the cut', async () => {
    const over = wire.hold()
    let pieces = 0
    wire.faults.delayMs = () => pieces++
    const socket = await open()
    socket.write('UPDATE')
    await eventuallyEqual(() => pieces, 1)
    wire.cut('client')
    await once(socket, 'close')
    expect(got).toBe('')
    over()
    await eventuallyEqual(() => got, 'UPDATE')
  })

  it('cuts off a client after a chosen piece, which it delivers', async () => {
    wire.faults.cutsAfter = (piece) => piece.includes('COMMIT')
    const socket = await open()
    expect(await answerTo(socket, 'BEGIN')).toBe('BEGIN')
    socket.write('COMMIT')
    await once(socket, 'close')
    await eventuallyEqual(() => got, 'BEGINCOMMIT')
  })

  it('cuts connections, and refuses new ones until it is healed', async () => {
    const socket = await open()
    wire.faults.refuses = true
    wire.cut()
    await once(socket, 'close')
    await once(await open(), 'close')
    wire.heal()
    expect(await answerTo(await open(), 'again')).toBe('again')
  })

  it('delivers chosen commands again', async () => {
    wire.faults.repeatsAfterMs = ([word]) => (word === 'PING' ? 1 : null)
    const socket = await open()
    await answerTo(socket, PING)
    await eventuallyEqual(() => got, PING + PING)
    expect(wire.repeated).toBe(1)
  })
})
