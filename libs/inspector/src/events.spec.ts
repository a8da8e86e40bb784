import { channel } from 'node:diagnostics_channel'
import { jest } from '@jest/globals'
import type { Block, BlockWatch } from '@model-cache/event-loop'
import { Events } from './events.js'

const store = channel('model-cache:store')
const change = (reason: string) => ({ side: 'reads', state: 'down', reason })
const at = '2026-01-01T00:00:00.000Z'

describe('the events of a process', () => {
  let events: Events
  let block: (block: Block) => void

  beforeEach(() => {
    jest.useFakeTimers({ now: Date.parse(at) })
    events = new Events()
    const watch = { onBlock: (listener: typeof block) => void (block = listener) }
    events.start(watch as BlockWatch)
  })
  afterEach(() => {
    events.stop()
    jest.useRealTimers()
  })

  it('are blocks and changes of stores, the newest first', () => {
    expect([events.blocks, events.storeChanges]).toEqual([[], []])
    const stack = ['all (lots.ts:1:1)']
    block({ holder: 'Lots.all', seconds: 0.25, at: stack[0]!, stack })
    block({ holder: 'none', seconds: 0.125, at: '', stack: [] })
    expect(events.blocks).toEqual([
      { at, holder: 'none', ms: 125, stack: [] },
      { at, holder: 'Lots.all', ms: 250, stack },
    ])
    store.publish(change('timeout'))
    store.publish({ side: 'writes', state: 'up', reason: 'answers' })
    expect(events.storeChanges).toEqual([
      { at, side: 'writes', state: 'up', reason: 'answers' },
      { at, side: 'reads', state: 'down', reason: 'timeout' },
    ])
  })

  it('are the latest fifty', () => {
    for (let i = 0; i <= 50; i++) store.publish(change(`${i}`))
    const reasons = events.storeChanges.map(({ reason }) => reason)
    expect(reasons).toEqual(Array.from({ length: 50 }, (_, i) => `${50 - i}`))
  })

  it('end when it stops', () => {
    events.stop()
    store.publish(change('late'))
    expect(events.storeChanges).toEqual([])
  })
})
