import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type CacheObserver, type ModelObserver, silentObserver } from '../cache/telemetry/observer.js'
import { withDiagnostics } from './diagnostics.js'

const names = ['read', 'load', 'fill', 'invalidate', 'store'].map((name) => `model-cache:${name}`)

/** An observer that records its calls. */
function recording(): CacheObserver & { calls: string[] } {
  const calls: string[] = []
  const record =
    (name: string) =>
    (...args: unknown[]): void =>
      void calls.push(`${name} ${args.join(' ')}`)
  const model = Object.fromEntries(
    Object.keys(silentObserver.forModel('')).map((name) => [name, record(name)]),
  )
  const forModel = (...names: unknown[]): never => {
    record('forModel')(...names)
    return model as never
  }
  return { calls, forModel, storeChanged: record('storeChanged'), foreignKeys: record('foreignKeys') }
}

function callAll(observer: CacheObserver): void {
  const rows = observer.forModel('Lot')
  rows.readSeconds(0.5, 3, 'hit')
  rows.load('failed', 0.25, 2)
  rows.fills('stored', 64)
  rows.invalidations('all', 1)
  rows.payloadBytes(100)
  const entries = observer.forModel('Lot', 'ofSeller')
  entries.readSeconds(0.125, 4, 'miss')
  entries.load('loaded', 0.0625, 5)
  entries.fills('too_long', 1)
  entries.invalidations('ids', 2)
  observer.storeChanged('reads', 'down', 'it is gone')
  observer.foreignKeys?.(3)
}

describe('withDiagnostics', () => {
  it('publishes an event for each kind and still calls the observer', () => {
    const events: [string | symbol, unknown][] = []
    const listen = (message: unknown, name: string | symbol): void => void events.push([name, message])
    for (const name of names) subscribe(name, listen)
    const observer = recording()
    callAll(withDiagnostics(observer))
    for (const name of names) unsubscribe(name, listen)
    expect(events).toStrictEqual([
      ['model-cache:read', { model: 'Lot', ids: 3, seconds: 0.5, outcome: 'hit' }],
      ['model-cache:load', { model: 'Lot', ids: 2, seconds: 0.25, outcome: 'failed' }],
      ['model-cache:fill', { model: 'Lot', rows: 64, outcome: 'stored' }],
      ['model-cache:invalidate', { model: 'Lot', kind: 'all', count: 1 }],
      ['model-cache:read', { model: 'Lot', lookup: 'ofSeller', ids: 4, seconds: 0.125, outcome: 'miss' }],
      ['model-cache:load', { model: 'Lot', lookup: 'ofSeller', ids: 5, seconds: 0.0625, outcome: 'loaded' }],
      ['model-cache:fill', { model: 'Lot', lookup: 'ofSeller', rows: 1, outcome: 'too_long' }],
      ['model-cache:invalidate', { model: 'Lot', lookup: 'ofSeller', kind: 'ids', count: 2 }],
      ['model-cache:store', { side: 'reads', state: 'down', reason: 'it is gone' }],
    ])
    expect(observer.calls).toEqual([
      'forModel Lot ',
      'readSeconds 0.5 3 hit',
      'load failed 0.25 2',
      'fills stored 64',
      'invalidations all 1',
      'payloadBytes 100',
      'forModel Lot ofSeller',
      'readSeconds 0.125 4 miss',
      'load loaded 0.0625 5',
      'fills too_long 1',
      'invalidations ids 2',
      'storeChanged reads down it is gone',
      'foreignKeys 3',
    ])
  })

  it('wraps observers that are instances of a class', () => {
    class Rows {
      readonly #calls: string[] = []
      misses(reason: string): void {
        this.#calls.push(reason)
      }
      get calls(): readonly string[] {
        return this.#calls
      }
    }
    Object.setPrototypeOf(Rows.prototype, silentObserver.forModel(''))
    const rows = new Rows()
    const forModel = () => rows as unknown as ModelObserver
    withDiagnostics({ ...silentObserver, forModel })
      .forModel('Lot')
      .misses('not_cached', 1)
    expect(rows.calls).toEqual(['not_cached'])
  })

  it('returns what an observer returns, which may be a promise that rejects', () => {
    const result = Promise.resolve()
    const method = () => result as never
    const methods = Object.keys(silentObserver.forModel('')).map((name) => [name, method])
    const forModel = (): never => Object.fromEntries(methods) as never
    const { forModel: wrapped, ...others } = withDiagnostics({
      forModel,
      storeChanged: method,
      foreignKeys: method,
    })
    const calls = Object.values({ ...wrapped('Lot'), ...others }) as (() => unknown)[]
    expect(calls.length).toBeGreaterThan(20)
    for (const call of calls) expect(call()).toBe(result)
  })

  it('refuses an observer that lacks an event, with its name', () => {
    const { forModel: wrapped } = withDiagnostics({ ...silentObserver, forModel: () => ({}) as never })
    expect(() => wrapped('Lot')).toThrow(/"observer" .* forModel\('Lot'\) returns lacks reads, readSeconds, /)
  })

  it('wraps an observer that does not count foreign keys', () => {
    expect(silentObserver.foreignKeys).toBeUndefined()
    expect(() => withDiagnostics(silentObserver).foreignKeys!(3)).not.toThrow()
  })
})
