import { channel } from 'node:diagnostics_channel'
import { jest } from '@jest/globals'
import type { ModulesContainer } from '@nestjs/core'
import type { BlockWatch, EventLoopPressure } from '@model-cache/event-loop'
import { type InspectedRoot, inspectedRoot, type Messages } from 'model-cache/internal'
import { MemoryStore } from 'model-cache/testing'
import { openShop } from '../../../test/support/inspected-shop.js'
import { Wire } from '../../../test/support/wire.js'
import { Inspector, rootsIn } from './inspector.js'

/** The modules of an application, of which two have the same providers, and one has others. */
function modulesOf(...roots: InspectedRoot[]): ModulesContainer {
  const registries = roots.map((root) => ({ [inspectedRoot]: root }))
  const providers = new Map([...registries.entries()].map(([i, instance]) => [i, { instance }]))
  const others = new Map([{ inspected: {} }, null, 'text'].map((instance) => [instance, { instance }]))
  const modules = [providers, others, providers].map((found, i) => [String(i), { providers: found }] as const)
  return new Map(modules) as unknown as ModulesContainer
}

function open(modules: ModulesContainer) {
  const pressure = { utilization: 0, value: 0 } as EventLoopPressure
  const watch = { onBlock: () => {} } as unknown as BlockWatch
  return new Inspector(
    { modules, pressure, watch, environment: null },
    { isShown: () => false, actionsOf: () => [] },
  )
}

describe('the roots of an application', () => {
  it('are those of its modules, each once, the unnamed one first', () => {
    const roots = ['stock', undefined, 'billing'].map(
      (name) => openShop(name === undefined ? {} : { name }).root,
    )
    expect(rootsIn(modulesOf(...roots)).map(({ name }) => name)).toEqual([undefined, 'billing', 'stock'])
  })
})

describe('an inspector', () => {
  const change = { side: 'reads', state: 'down', reason: 'timeout' }
  const changes = channel('model-cache:store')
  let published: { readonly channel: string; readonly kind: string }[]
  let root: InspectedRoot

  beforeEach(() => {
    jest.useFakeTimers()
    published = []
    const messages: Messages = {
      publish: async (name, text) => void published.push({ channel: name, kind: JSON.parse(text).kind }),
      subscribe: async () => {},
      unsubscribe: async () => {},
    }
    root = openShop({ store: Object.assign(new MemoryStore(), { messages }) }).root
  })
  afterEach(() => void jest.useRealTimers())

  it('says nothing until the application has started, and can be shut down', async () => {
    const inspector = open(modulesOf(root))
    expect(inspector.inspection).toBeUndefined()
    expect(await inspector.ownProcess()).toBeUndefined()
    expect(inspector.ownSamples).toEqual([])
    await inspector.beforeApplicationShutdown()
    expect(published).toEqual([])
  })

  it('is of the process that other inspectors of its application are of, and not of those of another one', async () => {
    const store = Object.assign(new MemoryStore(), { messages: new Wire() })
    const [shop, other] = [modulesOf(openShop({ store }).root), modulesOf(openShop({ store }).root)]
    const inspectors = [open(shop), open(shop), open(other)]
    for (const inspector of inspectors) inspector.onApplicationBootstrap()
    await jest.advanceTimersByTimeAsync(0)
    for (const { inspection } of inspectors) {
      const asking = inspection!.processes()
      await jest.advanceTimersByTimeAsync(1_000)
      expect(await asking).toMatchObject({ processes: [{}, {}], silent: [] })
    }
    for (const inspector of inspectors) await inspector.beforeApplicationShutdown()
  })

  it('inspects, listens and samples from the start to the shutdown', async () => {
    const billing = openShop({ name: 'billing' }).root
    const inspector = open(modulesOf(billing, root))
    inspector.onApplicationBootstrap()
    await jest.advanceTimersByTimeAsync(2_000)
    expect(published[0]).toEqual({ channel: 'mc:{inspect}', kind: 'new' })
    expect(inspector.ownSamples).toHaveLength(1)
    changes.publish(change)
    const own = (await inspector.ownProcess())!
    expect(own).toMatchObject({ pid: process.pid, storeChanges: [change] })
    expect(own.caches.map(({ figures, name }) => [name, figures.recent])).toEqual([
      ['Lot', null],
      ['Seat', null],
      ['Lot', null],
      ['Seat', null],
    ])
    const asking = inspector.inspection!.processes()
    await jest.advanceTimersByTimeAsync(1_000)
    expect(await asking).toMatchObject({ self: own.id, processes: [{ id: own.id }], silent: [] })

    await inspector.beforeApplicationShutdown()
    expect(published.at(-1)).toEqual({ channel: 'mc:{inspect}', kind: 'gone' })
    const count = published.length
    changes.publish(change)
    const samples = inspector.ownSamples.length
    await jest.advanceTimersByTimeAsync(60_000)
    expect(inspector.ownSamples).toHaveLength(samples)
    expect(published).toHaveLength(count)
    expect((await inspector.ownProcess())!.storeChanges).toHaveLength(1)
  })
})
