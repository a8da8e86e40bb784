import { jest } from '@jest/globals'
import slotOf from 'cluster-key-slot'
import type { Redis } from 'ioredis'
import { AcknowledgedScripts } from './acknowledged-scripts.js'
import type { ValkeyClient } from './valkey-client.js'
import { digestOf } from './valkey-scripts.js'

afterEach(() => jest.restoreAllMocks())

/** A node whose scripts succeed, unless errors are waiting for them, and whose replica acknowledges them. */
class FakeNode {
  status = 'ready'
  stream = {}
  readonly isCluster = false
  readonly options: { readonly host: string; readonly port: number }
  readonly sent: string[] = []
  /** The errors of the next scripts. */
  errors: string[] = []
  /** The next answers of its replicas. */
  counts: (number | Promise<number>)[] = []

  constructor(port = 1) {
    this.options = { host: 'h', port }
  }

  on(): void {}
  async connect(): Promise<void> {
    this.sent.push('connect')
  }
  async evalsha(...[script, ...words]: unknown[]): Promise<unknown> {
    this.sent.push(['evalsha', script === digestOf('fence') ? 'digest' : 'unknown', ...words].join(' '))
    const reason = this.errors.shift()
    if (reason !== undefined) throw new Error(reason)
    return [0, this.options.port]
  }
  async wait(replicas: number, timeoutMs: number): Promise<number> {
    this.sent.push(`wait ${replicas} ${timeoutMs}`)
    return this.counts.shift() ?? 1
  }
}

const sentOnce = ['evalsha digest 1 {a}x word', 'wait 1 60000']
const run = (scripts: AcknowledgedScripts, replicas = 1) => scripts.run('fence', ['{a}x'], ['word'], replicas)
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
/** Longer than a busy machine lets a script wait. */
const patientMs = 60_000

function open(timeoutMs = patientMs) {
  const node = new FakeNode()
  let opened = 0
  const scripts = new AcknowledgedScripts(() => {
    opened++
    return node as unknown as Redis
  }, timeoutMs)
  return { node, scripts, opened: () => opened }
}

describe('a script that replicas acknowledge', () => {
  it('is sent by its digest, before a wait for whole milliseconds', async () => {
    const { node, scripts, opened } = open(59_999.5)
    expect(opened()).toBe(0)
    expect(await run(scripts)).toEqual([0, 1])
    expect(node.sent).toEqual(['connect', ...sentOnce])
    await run(scripts)
    expect(node.sent.slice(3)).toEqual(sentOnce)
    expect(opened()).toBe(1)
  })

  it('fails once if its wait fails, too', async () => {
    const { node, scripts } = open()
    node.errors = ['lost']
    node.counts = [Promise.reject(new Error('lost, too'))]
    await expect(run(scripts)).rejects.toThrow(/^lost$/)
    // Otherwise the process reports a rejection that nothing handles.
    await new Promise(setImmediate)
  })

  it('does not keep the process alive while it waits for its connection', async () => {
    const { node, scripts } = open()
    const connected = Promise.withResolvers<void>()
    node.connect = () => connected.promise
    const before = timers()
    const running = run(scripts)
    expect(timers()).toBe(before)
    connected.resolve()
    await running
  })
})

describe('the waits of one connection', () => {
  const waitsOf = ({ sent }: FakeNode) => sent.filter((command) => command.startsWith('wait'))

  it('are shared by the scripts that are sent while one is running', async () => {
    const { node, scripts } = open()
    const first = Promise.withResolvers<number>()
    node.counts = [first.promise, 3]
    const running = run(scripts)
    await new Promise(setImmediate)
    const behind = [run(scripts, 3), run(scripts, 2)]
    await new Promise(setImmediate)
    expect(waitsOf(node)).toEqual(['wait 1 60000'])
    first.reject(new Error('lost'))
    await expect(running).rejects.toThrow('lost')
    await Promise.all(behind)
    expect(waitsOf(node)).toEqual(['wait 1 60000', 'wait 3 60000'])
  })

  it('say nothing about scripts that were sent over the connection before', async () => {
    const { node, scripts } = open()
    const first = Promise.withResolvers<number>()
    node.counts = [first.promise]
    const running = run(scripts)
    await new Promise(setImmediate)
    const behind = run(scripts)
    await new Promise(setImmediate)
    node.stream = {}
    const [later, another] = [run(scripts), run(scripts)]
    await new Promise(setImmediate)
    first.resolve(1)
    await running
    await expect(behind).rejects.toThrow('the connection was lost')
    await Promise.all([later, another])
    expect(waitsOf(node)).toEqual(['wait 1 60000', 'wait 1 60000'])
  })
})

describe('in a cluster, a script', () => {
  const slot = slotOf('a')

  /** A cluster of two nodes, of which the first has the slot. */
  function openCluster(timeoutMs = patientMs) {
    const nodes = [new FakeNode(1), new FakeNode(2)] as const
    const slots: string[][] = []
    slots[slot] = ['h:1']
    const cluster = {
      isCluster: true,
      slots,
      options: {},
      refreshes: 0,
      /** What the client learns when it asks where its slots are. */
      learn: (): void => {},
      on: () => {},
      connect: async () => {},
      nodes: () => nodes,
      refreshSlotsCache(done?: () => void): void {
        this.refreshes++
        this.learn()
        done?.()
      },
    }
    const scripts = new AcknowledgedScripts(() => cluster as unknown as ValkeyClient, timeoutMs)
    return { cluster, slots, scripts, first: nodes[0] }
  }

  it('has its client ask for the slots if it does not know the node that its slot is moving to', async () => {
    const { scripts, cluster, first } = openCluster()
    first.errors = [`ASK ${slot} h:3`]
    expect(await run(scripts)).toEqual([0, 1])
    expect(cluster.refreshes).toBe(1)
    expect(first.sent).toEqual([...sentOnce, ...sentOnce])
  })

  it('fails at once with TRYAGAIN also if the connection is lost by then', async () => {
    const { scripts, first } = openCluster()
    first.evalsha = async () => {
      first.status = 'close'
      throw new Error('TRYAGAIN')
    }
    await expect(run(scripts)).rejects.toThrow('TRYAGAIN')
  })

  it.each([
    ['wait', ['connect', ...sentOnce]],
    ['connecting', sentOnce],
  ])('waits for a node whose connection is in the state %s', async (status, sent) => {
    const { scripts, cluster, first } = openCluster()
    first.status = status
    cluster.learn = () => {
      if (cluster.refreshes === 1) setImmediate(() => (first.status = 'ready'))
    }
    expect(await run(scripts)).toEqual([0, 1])
    expect(first.sent.filter((command, i) => command !== 'connect' || i === 0)).toEqual(sent)
  })

  it('waits for a node that the client does not know yet', async () => {
    const { scripts, cluster, slots } = openCluster()
    slots[slot] = ['h:3']
    cluster.learn = () => {
      if (cluster.refreshes === 2) slots[slot] = ['h:2']
    }
    expect(await run(scripts)).toEqual([0, 2])
    expect(cluster.refreshes).toBe(2)
  })

  it('fails after its time if there is no connection to the node', async () => {
    const { scripts, cluster, first } = openCluster(50)
    first.status = 'connecting'
    const now = jest.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(50)
    now.mockReturnValue(51)
    await expect(run(scripts)).rejects.toThrow('there is no connection to the server')
    expect(cluster.refreshes).toBe(1)
  })

  it('fails without a node', async () => {
    const { scripts, slots } = openCluster(1)
    slots[slot] = ['h:3']
    await expect(run(scripts)).rejects.toThrow('there is no connection to the server')
  })
})
