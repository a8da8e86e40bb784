import { jest } from '@jest/globals'
import { StoreError } from '../../../errors.js'
import { NodeCircuits, Circuit } from './node-circuits.js'

const failing = () => Promise.reject(new StoreError('valkey', 'GET failed: busy'))
const working = () => Promise.resolve('reply')
const refused = 'model-cache: valkey: is bypassed, because it did not answer before'

function open() {
  const states: string[] = []
  const circuit = new Circuit('valkey', (state, reason) => states.push(`${state}: ${reason}`))
  return { circuit, states }
}

/** Has commands fail. */
async function fail(circuit: Circuit, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await expect(circuit.run(failing)).rejects.toThrow('busy')
}

let nowMs: number
beforeEach(() => {
  nowMs = 0
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs)
})
afterEach(() => jest.restoreAllMocks())

/** An open circuit lets a single command try after two seconds, or earlier: the time grows, and is random. */
function passWhile(): void {
  nowMs += 2_000
}

describe('a circuit', () => {
  it('opens after three failures in a row, and refuses commands without running them', async () => {
    const { circuit, states } = open()
    await fail(circuit, 2)
    expect(await circuit.run(working)).toBe('reply')
    await fail(circuit, 2)
    expect(states).toEqual([])
    await fail(circuit, 1)
    let runs = 0
    await expect(circuit.run(async () => runs++)).rejects.toThrow(refused)
    expect(runs).toBe(0)
    expect(states).toEqual(['down: model-cache: valkey: GET failed: busy'])
  })

  it('stays open, and reports nothing again, while such commands fail', async () => {
    const { circuit, states } = open()
    await fail(circuit, 3)
    for (let i = 0; i < 8; i++) {
      passWhile()
      await expect(circuit.run(failing)).rejects.toThrow('busy')
      await expect(circuit.run(working)).rejects.toThrow(refused)
    }
    expect(states).toHaveLength(1)
    passWhile()
    expect(await circuit.run(working)).toBe('reply')
    expect(states).toHaveLength(2)
  })

  it('is open from the loss of the connection until there is another one', async () => {
    const { circuit, states } = open()
    circuit.disconnected('ECONNRESET')
    circuit.disconnected('ECONNREFUSED')
    await expect(circuit.run(working)).rejects.toThrow(refused)
    circuit.connected()
    expect(await circuit.run(working)).toBe('reply')
    expect(states).toEqual(['down: ECONNRESET', 'up: commands are answered'])
    circuit.disconnected('again')
    await expect(circuit.run(working)).rejects.toThrow(refused)
    expect(states.at(-1)).toBe('down: again')
  })

  it('reports nothing when a connection begins that was not lost', () => {
    const { circuit, states } = open()
    circuit.connected()
    expect(states).toEqual([])
  })

  it('is reported as up once when it is retired, and not any more then', async () => {
    const { circuit, states } = open()
    circuit.disconnected('lost')
    circuit.retire('moved')
    await fail(open().circuit, 3)
    circuit.connected()
    circuit.disconnected('lost again')
    expect(states).toEqual(['down: lost', 'up: moved'])
    const other = open()
    other.circuit.retire('moved')
    expect(other.states).toEqual([])
  })

  /** Commands that run at the same time. */
  function runAll(circuit: Circuit, count: number) {
    return Array.from({ length: count }, (_, i) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>()
      return {
        succeed: () => resolve('reply'),
        fail: (error: Error = new StoreError('valkey', `command ${i} failed`)) => reject(error),
        result: circuit.run(() => promise).catch((error: Error) => error.message),
      }
    })
  }

  it('lets a command try after a tenth of a second, then after twice as long each time, up to two seconds', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0)
    const { circuit } = open()
    await fail(circuit, 3)
    for (const breakMs of [100, 200, 400, 800, 1_600, 2_000, 2_000]) {
      nowMs += breakMs - 1
      await expect(circuit.run(working)).rejects.toThrow(refused)
      nowMs += 1
      await expect(circuit.run(failing)).rejects.toThrow('busy')
    }
  })

  it('opens for no other time because of commands that began before it', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0)
    const { circuit } = open()
    const [first, second, third, failing, succeeding] = runAll(circuit, 5)
    for (const { fail, result } of [first!, second!, third!]) await (fail(), result)
    nowMs = 60
    await (failing!.fail(), failing!.result)
    nowMs = 100
    const [trying] = runAll(circuit, 1)
    await (succeeding!.succeed(), succeeding!.result)
    await (trying!.fail(), trying!.result)
    nowMs = 299
    await expect(circuit.run(working)).rejects.toThrow(refused)
    nowMs = 300
    expect(await circuit.run(working)).toBe('reply')
  })

  it.each(['succeeds', 'fails'])(
    'stays open for want of a connection if a command that tries %s',
    async (how) => {
      const { circuit, states } = open()
      await fail(circuit, 3)
      passWhile()
      const [trying] = runAll(circuit, 1)
      circuit.disconnected('lost')
      await (how === 'fails' ? trying!.fail() : trying!.succeed(), trying!.result)
      passWhile()
      await expect(circuit.run(working)).rejects.toThrow(refused)
      expect(states).toHaveLength(1)
      circuit.connected()
      expect(await circuit.run(working)).toBe('reply')
      expect(states.at(-1)).toBe('up: commands are answered')
    },
  )

  it('stays open after failures, although there is a connection', async () => {
    const { circuit, states } = open()
    await fail(circuit, 3)
    circuit.connected()
    await expect(circuit.run(working)).rejects.toThrow(refused)
    expect(states).toHaveLength(1)
  })
})

describe('the circuits of nodes', () => {
  function openNodes() {
    const states: unknown[][] = []
    const circuits = new NodeCircuits('valkey', (...change) => states.push(change))
    return { circuits, states }
  }

  it('are one for reads and one for writes of each node', () => {
    const { circuits, states } = openNodes()
    expect(circuits.of('reads', 'a:1')).toBe(circuits.of('reads', 'a:1'))
    circuits.of('reads', 'a:1').disconnected('lost')
    circuits.of('writes', 'b:2').disconnected('lost')
    circuits.of('writes', '').disconnected('lost')
    expect(states).toEqual([
      ['reads', 'down', 'lost (node a:1)'],
      ['writes', 'down', 'lost (node b:2)'],
      ['writes', 'down', 'lost'],
    ])
  })

  it('are reported as up once the store is closed, and not any more then', () => {
    const { circuits, states } = openNodes()
    circuits.of('reads', 'a:1')
    circuits.of('writes', 'b:2').disconnected('lost')
    circuits.close()
    for (const side of ['reads', 'writes'] as const) circuits.of(side, 'c:3').disconnected('lost')
    circuits.of('writes', 'b:2').disconnected('lost again')
    expect(states).toEqual([
      ['writes', 'down', 'lost (node b:2)'],
      ['writes', 'up', 'the store is closed (node b:2)'],
    ])
  })

  it('end with their nodes', async () => {
    const { circuits, states } = openNodes()
    const [gone, kept] = ['a:1', 'b:2'].map((node) => circuits.of('reads', node))
    const writes = circuits.of('writes', 'a:1')
    for (const circuit of [gone!, kept!, writes]) circuit.disconnected('lost')
    states.length = 0
    circuits.retire('reads', new Set(['b:2']))
    expect(states).toEqual([['reads', 'up', 'its slots have moved to other nodes (node a:1)']])
    expect(circuits.of('reads', 'b:2')).toBe(kept)
    expect(circuits.of('writes', 'a:1')).toBe(writes)
    expect(await circuits.of('reads', 'a:1').run(working)).toBe('reply')
  })
})
