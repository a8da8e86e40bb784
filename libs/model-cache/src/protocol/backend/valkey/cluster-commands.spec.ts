import slotOf from 'cluster-key-slot'
import type { Cluster, Command } from 'ioredis'
import { isOfMigratingSlot, mgetByTag, pingPrimaries } from './cluster-commands.js'

const redirected = 'Too many Cluster redirections. Last error: Error: ASK 5 h:1'

describe('values of a cluster', () => {
  /** A cluster whose values are the names of their keys. Keys of these tags cannot be read together. */
  function cluster(failing: Readonly<Record<string, string>> = {}) {
    const sent: string[] = []
    const read = (key: string) => (key.endsWith('none') ? null : Buffer.from(key))
    const client = {
      options: {},
      sendCommand: async ({ name, args }: Command) => {
        const keys = args as string[]
        sent.push(`${name} ${keys.join(' ')}`)
        const reason = failing[keys[0]!.slice(0, 3)]
        if (reason !== undefined) throw new Error(reason)
        return keys.map(read)
      },
      getBuffer: async (key: string) => {
        sent.push(`get ${key}`)
        return read(key)
      },
    }
    return { sent, read: (keys: string[]) => mgetByTag(client as unknown as Cluster, keys) }
  }

  const textOf = (values: (Buffer | null)[]) => values.map((value) => value && String(value))

  it.each(['TRYAGAIN Multiple keys request during rehashing of slot', redirected])(
    'are read one by one while their slot is moving: %s',
    async (reason) => {
      const { sent, read } = cluster({ '{b}': reason })
      const keys = ['{a}1', '{b}1', '{b}none', '{a}2', '{b}2']
      expect(textOf(await read(keys))).toEqual(['{a}1', '{b}1', null, '{a}2', '{b}2'])
      expect(sent.slice(2)).toEqual(['get {b}1', 'get {b}none', 'get {b}2'])
    },
  )
})

describe('a ping of a cluster', () => {
  /** A cluster with two primaries and a replica, or none that is known. */
  function cluster(isKnown = true) {
    const pinged: string[] = []
    const failing = new Set<string>()
    let refreshes = 0
    const ping = async (name: string) => {
      pinged.push(name)
      if (failing.has(name)) throw new Error(`${name} is lost`)
    }
    const nodes = [1, 2, 3].map((port) => ({ options: { host: 'h', port }, ping: () => ping(`h:${port}`) }))
    const slots: string[][] = []
    if (isKnown) Object.assign(slots, { [slotOf('a')]: ['h:1', 'h:3'], [slotOf('b')]: ['h:2'] })
    const client = {
      slots,
      nodes: () => nodes,
      ping: () => ping('any'),
      refreshSlotsCache: () => refreshes++,
    }
    return {
      nodes,
      failing,
      pinged: () => pinged.toSorted(),
      refreshes: () => refreshes,
      ping: () => pingPrimaries(client as unknown as Cluster),
    }
  }

  it('reaches each node that holds slots', async () => {
    const { ping, pinged, refreshes } = cluster()
    await ping()
    expect(pinged()).toEqual(['h:1', 'h:2'])
    expect(refreshes()).toBe(0)
  })

  it('fails without a connection to one of them', async () => {
    const { ping, nodes, refreshes } = cluster()
    nodes.shift()
    await expect(ping()).rejects.toThrow('there is no connection to h:1')
    expect(refreshes()).toBe(1)
  })

  it('is that of the client while no node is known', async () => {
    const { ping, failing, pinged } = cluster(false)
    await ping()
    expect(pinged()).toEqual(['any'])
    failing.add('any')
    await expect(ping()).rejects.toThrow('any is lost')
  })
})

describe('an error of a slot that is moving', () => {
  it.each([
    [new Error('TRYAGAIN Multiple keys request'), true],
    [new Error(redirected), true],
    [new Error('MOVED 5 h:1'), false],
    [undefined, false],
    ['TRYAGAIN', false],
    [{ message: 'TRYAGAIN' }, false],
  ])('is %p: %p', (error, isOne) => {
    expect(isOfMigratingSlot(error)).toBe(isOne)
  })
})
