import { type } from 'arktype'
import { eventually, eventuallyEqual, turns } from '../../../../../test/support/eventually.js'
import { createLoadSource } from '../../source/load-source.js'
import { MemoryStore } from '../../protocol/index.js'
import { createTestCache } from '../../testing/test-cache.js'
import type { ModelCache } from '../model-cache.js'
import { defineModelCache } from '../policy/definition.js'
import { Tick } from '../read/tick.js'
import { type CachePermits, createLoadPermits } from './load-permits.js'
import { forCalls, SourceCall } from './source-call.js'

interface Part {
  id: string
  needs: string
}
const schema = type({ id: 'string', needs: 'string' })

/**
 * Caches of parts that are made of parts: `{ a1: ['b1'] }` says that the load of row a1, of cache a, reads row b1 of cache b.
 */
function workshop(
  needs: Record<string, readonly string[]> = {},
  loads = createLoadPermits(1),
  store = new MemoryStore(),
) {
  const caches = new Map<string, ModelCache<Part, string>>()
  const tick = new Tick()
  const calls: string[] = []
  const held = new Map<string, PromiseWithResolvers<void>>()
  const partsOf = async (id: string): Promise<Part> => {
    const parts = await Promise.all((needs[id] ?? []).map(get))
    return { id, needs: parts.map((part) => part!.id).join() }
  }
  const load = async (_client: unknown, ids: readonly string[]): Promise<Part[]> => {
    calls.push(ids.join())
    await held.get(ids.join())?.promise
    return Promise.all(ids.map(partsOf))
  }
  const cacheOf = (model: string): ModelCache<Part, string> => {
    let cache = caches.get(model)
    if (!cache) {
      const definition = defineModelCache<Part>()({ model, schema, id: 'id', ttl: '1h' })
      const source = createLoadSource<Part, string>(load, undefined)
      cache = createTestCache(definition, [], { store, source, tick, loads }).cache
      caches.set(model, cache)
    }
    return cache
  }
  const get = (id: string): Promise<Part | null> => cacheOf(id[0]!).get(id)
  /** Holds back the load of these ids. */
  const hold = (ids: string) => {
    const gate = Promise.withResolvers<void>()
    held.set(ids, gate)
    return { release: gate.resolve, fail: () => gate.reject(new Error('the database has failed')) }
  }
  return { calls, cacheOf, get, hold }
}

const part = (id: string, ...needs: string[]): Part => ({ id, needs: needs.join() })

/** A call of a source, as which work is run. */
function caller() {
  const call = new SourceCall('caller', {}, [])
  return {
    run: <T>(work: () => T): T => forCalls([call], work),
    giveUp: () => call.run(() => new Promise(() => {}), 1).catch(() => {}),
  }
}

describe('a load inside a load', () => {
  it('takes a row along that waits for a permit', async () => {
    const { calls, get, hold } = workshop({ a1: ['b1'] })
    const first = hold('a1')
    const whole = get('a1')
    await eventually(() => calls.includes('a1'))
    const queued = get('b1')
    await turns()
    expect(calls).toEqual(['a1'])
    first.release()
    expect(await Promise.all([whole, queued])).toEqual([part('a1', 'b1'), part('b1')])
    expect(calls).toEqual(['a1', 'b1'])
  })

  it('does not let other reads of its tick pass without a permit', async () => {
    const { calls, cacheOf, get, hold } = workshop({ a1: ['b1'] })
    const first = hold('a1')
    const nested = hold('b1')
    const whole = get('a1')
    await eventually(() => calls.includes('a1'))
    first.release()
    await Promise.resolve()
    const others = cacheOf('b').getMany(['b2', 'b3'])
    await eventually(() => calls.includes('b1'))
    await turns()
    expect(calls).toEqual(['a1', 'b1'])
    nested.release()
    await Promise.all([whole, others])
    expect(calls).toEqual(['a1', 'b1', 'b2,b3'])
  })

  it('is one query for all rows of a call', async () => {
    const { cacheOf, calls } = workshop({ a1: ['b1', 'b2'], a2: ['b2', 'b3'] })
    await cacheOf('a').getMany(['a1', 'a2'])
    expect(calls).toEqual(['a1,a2', 'b1,b2,b3'])
  })

  it('loads a row again that a call loads among others, as it may be for one of these', async () => {
    const { cacheOf } = workshop({ a1: ['b1'], b1: ['a2'] })
    expect(await cacheOf('a').getMany(['a1', 'a2'])).toEqual([part('a1', 'b1'), part('a2')])
  })

  it('does not wait for a call that waits for it through a third', async () => {
    const { cacheOf, calls, hold } = workshop({ a1: ['b1'], b2: ['a2'] }, createLoadPermits(8))
    const both = [hold('a1,a2'), hold('b1,b2')]
    const reads = [cacheOf('a').getMany(['a1', 'a2']), cacheOf('b').getMany(['b1', 'b2'])]
    await eventuallyEqual(() => calls.length, 2)
    for (const { release } of both) release()
    expect(await Promise.all(reads)).toEqual([
      [part('a1', 'b1'), part('a2')],
      [part('b1'), part('b2', 'a2')],
    ])
  })

  it('does not wait for a call that waits for it beside another one', async () => {
    const { cacheOf, calls, get, hold } = workshop(
      { a1: ['c1'], b1: ['c1'], c1: ['a2'] },
      createLoadPermits(8),
    )
    const both = [hold('a1,a2'), hold('b1')]
    const reads = [get('b1'), cacheOf('a').getMany(['a1', 'a2'])]
    await eventuallyEqual(() => calls.length, 2)
    // In one tick, the second for a row of the first.
    for (const { release } of both.toReversed()) release()
    expect(await Promise.all(reads)).toEqual([part('b1', 'c1'), [part('a1', 'c1'), part('a2')]])
    expect(calls.filter((ids) => ids === 'c1')).toEqual(['c1'])
  })

  it('fails if a row needs itself, with the caches that lead to it', async () => {
    const { calls, get } = workshop({ a1: ['b1'], b1: ['c1'], c1: ['a1'] })
    const error = await get('a1').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'E_LOAD_CYCLE' })
    expect((error as Error).message).toContain('a → b → c → a')
    expect(calls).toEqual(['a1', 'b1', 'c1'])
  })

  it('fails if rows of one call need each other, and the others are loaded', async () => {
    const { cacheOf } = workshop({ a1: ['b1'], b1: ['a2'], a2: ['b2'], b2: ['a1'] })
    const outcomes = await cacheOf('a').getManySettled(['a1', 'a2', 'a3'])
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: expect.objectContaining({ code: 'E_LOAD_CYCLE' }) },
      { status: 'rejected', reason: expect.objectContaining({ code: 'E_LOAD_CYCLE' }) },
      { status: 'fulfilled', value: part('a3') },
    ])
  })

  it('is one of its own once the load that started it has ended', async () => {
    const loads = createLoadPermits(1)
    const { calls, get, hold } = workshop({}, loads)
    const later = Promise.withResolvers<void>()
    let reading: Promise<unknown> | undefined
    const source = createLoadSource<Part, string>((_client, ids) => {
      reading = later.promise.then(() => get('b1'))
      return ids.map((id) => part(id))
    }, undefined)
    const definition = defineModelCache<Part>()({ model: 'Starter', schema, id: 'id', ttl: '1h' })
    await createTestCache(definition, [], { source, loads }).cache.get('a1')
    const { release } = hold('c1')
    const held = get('c1')
    await eventuallyEqual(() => calls.length, 1)
    later.resolve()
    await turns()
    expect(calls).toEqual(['c1'])
    release()
    await Promise.all([held, reading])
    expect(calls).toEqual(['c1', 'b1'])
  })
})

describe('a load that does not end', () => {
  it('names the caches that it waits for', async () => {
    const [one, other, last] = ['a', 'b', 'c'].map((name) => new SourceCall(name, {}, []))
    one!.await(other!)
    other!.await(last!)
    const never = new Promise<void>(() => {})
    await expect(one!.run(() => never, 1)).rejects.toThrow('waited for "b", then "c"')
  })

  it('stores nothing that comes later, and no error of it is left unhandled', async () => {
    const store = new MemoryStore()
    const { calls, cacheOf, get, hold } = workshop({}, createLoadPermits(1, 20), store)
    const [late, failing] = [hold('a1'), hold('a2')]
    await expect(get('a1')).rejects.toMatchObject({ code: 'E_LOAD_TIMEOUT' })
    await expect(get('a2')).rejects.toMatchObject({ code: 'E_LOAD_TIMEOUT' })
    late.release()
    failing.fail()
    await turns()
    expect(await cacheOf('a').explain('a1')).toMatchObject({ guard: 'none', stored: { isHit: false } })
    expect(calls).toEqual(['a1', 'a2'])
  })

  it('does not keep readers who came later for a second time', async () => {
    const { calls, get, hold } = workshop({}, createLoadPermits(1, 100))
    const { release } = hold('a1')
    const reads = [get('a1')]
    await eventuallyEqual(() => calls.length, 1)
    for (let i = 0; i < 5; i++) {
      reads.push(get('a1'))
      await turns(3)
    }
    const outcomes = await Promise.allSettled(reads)
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true)
    expect(calls.length).toBeLessThan(reads.length)
    release()
  })

  it('does not have them wait for another load of the row either', async () => {
    // The first call alone has a deadline that passes.
    const deadlinesMs = [500]
    const { execute } = createLoadPermits(8).ofCache()
    const permits: CachePermits = {
      execute,
      get timeoutMs() {
        return deadlinesMs.shift() ?? 60_000
      },
    }
    const { calls, cacheOf, get, hold } = workshop({}, { timeoutMs: 60_000, ofCache: () => permits })
    const { release } = hold('a1')
    const first = get('a1')
    await eventually(() => calls.length === 1)
    const later = get('a1')
    // The tick of the read, its store, and its load are over.
    await turns(5)
    await cacheOf('a').invalidate(['a1'])
    const other = get('a1')
    await eventually(() => calls.length === 2)
    await expect(first).rejects.toMatchObject({ code: 'E_LOAD_TIMEOUT' })
    await eventually(() => calls.length === 3)
    release()
    expect(await Promise.all([later, other])).toEqual([part('a1'), part('a1')])
  })

  it('has the reads fail that its source still makes', async () => {
    const { calls, get, hold } = workshop({ a1: ['b1'] }, createLoadPermits(1, 20))
    const { release } = hold('a1')
    await expect(get('a1')).rejects.toMatchObject({ code: 'E_LOAD_TIMEOUT' })
    release()
    await turns()
    expect(calls).toEqual(['a1'])
  })
})

describe('a load that was begun for a call which has been given up', () => {
  it.each([
    ['before', false],
    ['after', true],
  ])('goes on for a caller outside of calls that read the row %s it, in its tick', async (_, isLast) => {
    const { calls, get, hold } = workshop({ b1: ['c1'] })
    const { giveUp, run } = caller()
    const { release } = hold('b1')
    const request = [() => run(() => get('b1')), () => get('b1')]
    const reads = (isLast ? request : request.toReversed()).map((read) => read())
    await eventually(() => calls.includes('b1'))
    await giveUp()
    release()
    expect(await Promise.all(reads)).toEqual([part('b1', 'c1'), part('b1', 'c1')])
    expect(calls).toEqual(['b1', 'c1'])
  })

  it('goes on for a caller that waited for a permit', async () => {
    const { calls, get, hold } = workshop({ b1: ['c1'] }, createLoadPermits(1))
    const { giveUp, run } = caller()
    const [busy, held] = [hold('a1'), hold('b1')]
    const first = get('a1')
    await eventually(() => calls.includes('a1'))
    const outside = get('b1')
    await turns()
    const nested = run(() => get('b1'))
    await eventually(() => calls.includes('b1'))
    await giveUp()
    held.release()
    expect(await Promise.all([nested, outside])).toEqual([part('b1', 'c1'), part('b1', 'c1')])
    busy.release()
    await first
    expect(calls).toEqual(['a1', 'b1', 'c1'])
  })

  it('goes on for another call', async () => {
    const { calls, get, hold } = workshop({ b1: ['c1'] })
    const [one, other] = [caller(), caller()]
    const { release } = hold('b1')
    const reads = [one, other].map(({ run }) => run(() => get('b1')))
    await eventually(() => calls.includes('b1'))
    await one.giveUp()
    release()
    expect(await Promise.all(reads)).toEqual([part('b1', 'c1'), part('b1', 'c1')])
  })

  it('reads nothing more if nobody else waits for it', async () => {
    const { calls, get, hold } = workshop({ b1: ['c1'] })
    const { giveUp, run } = caller()
    const { release } = hold('b1')
    const nested = run(() => get('b1'))
    await eventually(() => calls.includes('b1'))
    await giveUp()
    release()
    await expect(nested).rejects.toMatchObject({ code: 'E_LOAD_TIMEOUT' })
    expect(calls).toEqual(['b1'])
  })

  it('is not begun again for single rows if nobody else waits for them', async () => {
    const { cacheOf, calls, hold } = workshop({ b1: ['c1'] })
    const { giveUp, run } = caller()
    const { release } = hold('b1,b2')
    const nested = run(() => cacheOf('b').getMany(['b1', 'b2']))
    await eventually(() => calls.includes('b1,b2'))
    await giveUp()
    release()
    await expect(nested).rejects.toMatchObject({ code: 'E_LOAD_TIMEOUT' })
    await turns()
    expect(calls).toEqual(['b1,b2'])
  })
})

it('a row that a nested load has requested needs no permit either if the call around it is given up meanwhile', async () => {
  const store = new MemoryStore()
  const { calls, get, hold } = workshop({ b1: ['c1'], d1: ['b1'] }, createLoadPermits(1), store)
  const { giveUp, run } = caller()
  const { release } = hold('b1')
  const nested = run(() => get('b1'))
  await eventually(() => calls.includes('b1'))
  const [requested, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const read = store.getManyBytes.bind(store)
  store.getManyBytes = async (keys) => {
    if (keys.some((key) => key.includes('c1'))) {
      requested.resolve()
      await answered.promise
    }
    return read(keys)
  }
  release()
  await requested.promise
  await giveUp()
  // It has the permit, and waits for the load of b1.
  const outside = get('d1')
  await eventually(() => calls.includes('d1'))
  await turns()
  answered.resolve()
  expect(await Promise.all([nested, outside])).toEqual([part('b1', 'c1'), part('d1', 'b1')])
  expect(calls).toEqual(['b1', 'd1', 'c1'])
})

describe('the loads of one cache', () => {
  it('leave a quarter of the permits to others, and one if there are several', async () => {
    const { calls, get, hold } = workshop({}, createLoadPermits(4))
    const holds = ['a1', 'a2', 'a3'].map(hold)
    const reads: Promise<unknown>[] = []
    for (const id of ['a1', 'a2', 'a3']) {
      reads.push(get(id))
      await eventually(() => calls.includes(id))
    }
    reads.push(get('a4'))
    await turns()
    expect(await get('b1')).toEqual(part('b1'))
    expect(calls).toEqual(['a1', 'a2', 'a3', 'b1'])
    for (const { release } of holds) release()
    await Promise.all(reads)
  })

  it('take turns with those of others', async () => {
    const { calls, get, hold } = workshop({}, createLoadPermits(1))
    const { release } = hold('a1')
    const reads = [get('a1')]
    await eventuallyEqual(() => calls.length, 1)
    for (const id of ['a2', 'b1', 'c1', 'a3']) {
      reads.push(get(id))
      await turns()
    }
    release()
    await Promise.all(reads)
    expect(calls).toEqual(['a1', 'a2,a3', 'b1', 'c1'])
  })

  it('have their next turn after all others', async () => {
    const permits = createLoadPermits(1)
    const [one, other] = [permits.ofCache(), permits.ofCache()]
    const order: string[] = []
    const run = (cache: CachePermits, name: string) => cache.execute(async () => void order.push(name))
    await Promise.all([
      run(one, 'a1'),
      run(one, 'a2'),
      run(one, 'a3'),
      run(other, 'b1'),
      run(other, 'b2'),
      run(one, 'a4'),
    ])
    expect(order).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4'])
  })
})
