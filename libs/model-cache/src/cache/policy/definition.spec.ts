import { type } from 'arktype'
import { createTestCache } from '../../testing/test-cache.js'
import { defineModelCache } from './definition.js'

const schema = type({ id: 'string', at: 'Date' })
interface Plain {
  id: string
  at: Date
}
const valid = { model: 'Row', schema, id: 'id', ttl: '10m' } as const
const define = (change: object) => () => defineModelCache<Plain>()({ ...valid, ...change } as never)

describe('a definition', () => {
  it.each([
    ['500ms', 500],
    ['1.5s', 1_500],
    ['10m', 600_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['0.125s', 125],
    ['1.1h', 3_960_000],
    ['1.4ms', 1],
    ['1ms', 1],
    ['36500d', 3_153_600_000_000],
    [1_000, 1_000],
    [1_500, 1_500],
    [10_000 / 3, 3_333],
  ] as const)('takes %s for %d milliseconds', (ttl, ms) => {
    expect(defineModelCache<Plain>()({ ...valid, ttl }).ttlMs).toBe(ms)
  })

  it('takes such times for L1, which knows whole milliseconds only', async () => {
    const { cache } = createTestCache(define({ ttl: '2h', l1: { ttl: '1.1h' } })(), [])
    await cache.close()
  })

  const refusesTtl = (ttl: unknown) => {
    expect(define({ ttl })).toThrow(expect.objectContaining({ code: 'E_INVALID_DURATION' }))
    expect(define({ ttl })).toThrow('ModelCache "Row": ttl is ')
  }
  it.each(['', '10', '10 minutes', '-5s', '0s', 'soon', 0, -1, Number.NaN, Infinity, null, undefined])(
    'refuses a ttl of %p',
    refusesTtl,
  )
  it.each(['10days', '36501d', ['10m'], new Date(5_000)])('refuses a ttl of %p', refusesTtl)

  it.each([
    ['ttl', { ttl: 10 }],
    ['notFoundTtl', { notFoundTtl: 10 }],
    ['refreshAhead', { refreshAhead: 10 }],
    ['staleFor', { staleFor: 10 }],
    ['l1.ttl', { l1: { ttl: 10 } }],
  ])('refuses a number below 1,000 as %s, which is hardly meant as milliseconds', (option, change) => {
    expect(define(change)).toThrow(
      `ModelCache "Row": ${option} is 10, which would be 10 ms: give the unit, as in '10s', or '10ms' if you mean that.`,
    )
  })

  it('refuses names that cannot be part of keys and labels', () => {
    for (const name of ['', '1', 'a b', 'a{b', 5]) expect(define({ name })).toThrow('option "name" is')
    expect(define({ model: undefined })).toThrow('option "model" is undefined')
  })

  it('refuses the names of registers of results, which each write to their models renews', () => {
    for (const name of ['Row.results', 'Other.results', 'Row.results.id'])
      expect(define({ name })).toThrow('expected a name without ".results"')
    expect(define({ name: 'Row.resultsOfToday' })()).toMatchObject({ name: 'Row.resultsOfToday' })
  })

  it('refuses fields that cannot be ids', () => {
    const key = (change: object) => () => createTestCache(define(change)(), [])
    expect(define({ id: [] })).toThrow('is empty')
    expect(define({ id: ['id', 'id'] })).toThrow('names a field twice')
    expect(key({ id: 'uuid' })).toThrow('"uuid" is not a field of the schema, which has at, id')
    expect(key({ schema: type({ id: 'boolean', at: 'Date' }) })).toThrow(
      '"id" is a boolean; an id is a string, a number, a bigint or a Date that is always there.',
    )
    expect(key({ schema: type({ 'id?': 'string', at: 'Date' }) })).toThrow('"id" is optional')
  })

  it('refuses `load` together with `select` or `include`', () => {
    expect(define({ load: () => [], include: {}, dependsOn: [] })).toThrow('replaces `select` and `include`')
  })

  it('is frozen, and caches missing rows no longer than others', () => {
    expect(Object.isFrozen(define({})())).toBe(true)
    expect(define({ ttl: '1s' })().notFoundTtlMs).toBe(1_000)
    expect(define({})().notFoundTtlMs).toBe(30_000)
    expect(define({ notFoundTtl: '5s' })().notFoundTtlMs).toBe(5_000)
  })

  it('selects what it does at the call', () => {
    const select = { id: true, at: true }
    const definition = defineModelCache<Plain>()({ ...valid, select })
    select.at = false
    expect(definition.select).toEqual({ id: true, at: true })
  })

  it('has the name of its model unless it has one of its own', () => {
    expect(define({})()).toMatchObject({ name: 'Row', model: 'Row' })
    expect(define({ name: 'short' })()).toMatchObject({ name: 'short', model: 'Row' })
    expect(define({ id: [], name: 'short' })).toThrow('"short"')
    expect(define({ id: [] })).toThrow('"Row"')
  })

  it('requires a field that identifies a row', () => {
    expect(define({ id: undefined })).toThrow('is empty; name the field that identifies a row.')
  })

  it.each([
    [{}, undefined],
    [{ l1: 'hot' }, { ttlMs: 1_000, hotPerSecond: 10, maxEntries: 1_000, maxBytes: 67_108_864 }],
    [{ l1: {} }, { ttlMs: 1_000, hotPerSecond: undefined, maxEntries: 1_000, maxBytes: 67_108_864 }],
    [{ l1: {}, ttl: '500ms' }, { ttlMs: 500 }],
    [{ l1: { ttl: '10m' } }, { ttlMs: 600_000 }],
    [{ l1: { hot: 1, maxEntries: 1, maxBytes: 1 } }, { hotPerSecond: 1, maxEntries: 1, maxBytes: 1 }],
  ])('keeps in memory what %j says', (change, l1) => {
    const defined = define(change)().l1
    if (l1 === undefined) expect(defined).toBeUndefined()
    else expect(defined).toMatchObject(l1)
  })

  it('refreshes rows ahead of their expiry, not before they are stored', () => {
    expect(define({})().refreshAheadMs).toBe(0)
    expect(define({ refreshAhead: '9m' })().refreshAheadMs).toBe(540_000)
    for (const refreshAhead of ['10m', '11m'])
      expect(define({ refreshAhead })).toThrow('expected a time that is shorter than `ttl`')
  })

  it('gives each caller a copy unless rows are shared', () => {
    const rows = [undefined, 'copies', 'shared'].map((rows) => define({ rows })().sharesRows)
    expect(rows).toEqual([false, false, true])
  })

  it('has the format that it names, or none', () => {
    const formats = [undefined, 'record', 'json'] as const
    expect(formats.map((format) => define({ format })().format)).toEqual(formats)
  })

  it('compresses payloads above a size, if it says one', () => {
    expect(define({})().compressAboveBytes).toBeUndefined()
    expect(define({ compress: { above: '2kB' } })().compressAboveBytes).toBe(2_000)
    expect(define({ compress: { above: 0 } })().compressAboveBytes).toBe(0)
  })

  it('bypasses the cache without a follower only if the definition requires one', () => {
    expect([define({})().needsFollower, define({ follow: 'required' })().needsFollower]).toEqual([
      false,
      true,
    ])
  })

  it.each([
    [{}, undefined],
    [{ dependsOn: 'ttl' }, 'ttl'],
    [{ dependsOn: [] }, []],
    [{ dependsOn: ['Bid', 'Lot', 'Bid'] }, ['Bid', 'Lot']],
    [{ dependsOn: [], load: () => [] }, []],
  ])('depends on the models of %j', (change, dependsOn) => {
    const defined = define(change)().dependsOn
    expect(defined).toEqual(dependsOn)
    if (Array.isArray(defined)) expect(Object.isFrozen(defined)).toBe(true)
  })

  it.each([
    ['l1', { l1: true }, 'option "l1" is true; expected an object, or \'hot\''],
    ['l1.ttl', { l1: { ttl: '11m' } }, 'expected a time that is not longer than `ttl`'],
    ['l1.hot', { l1: { hot: 0 } }, 'expected a positive whole number'],
    ['l1.maxEntries', { l1: { maxEntries: 0.5 } }, 'expected a positive whole number'],
    ['l1.maxBytes', { l1: { maxBytes: 1.5 } }, 'expected a positive whole number'],
    ['largePayloadBytes', { largePayloadBytes: -1 }, 'expected a positive whole number'],
    ['compress.above', { compress: true }, 'option "compress.above" is undefined; expected bytes'],
    ['compress.above', { compress: { above: 'much' } }, 'option "compress.above" is "much"; expected bytes'],
    ['rows', { rows: 'frozen' }, "expected 'copies' or 'shared'"],
    ['follow', { follow: true }, 'option "follow" is true; expected \'required\''],
    ['follow', { follow: false }, 'option "follow" is false'],
    ['refine', { refine: {} }, 'option "refine" is an object (Object); expected to be left out, as `schema`'],
    ['format', { format: 'JSON' }, 'option "format" is "JSON"; expected \'record\' or \'json\''],
    ['dependsOn', { dependsOn: 'Bid' }, "expected 'ttl' or a list of models"],
    ['dependsOn', { dependsOn: ['a b'] }, 'option "dependsOn" is "a b"; expected a letter, then'],
  ])('refuses a wrong %s: %j', (option, change, message) => {
    expect(define(change)).toThrow(expect.objectContaining({ code: 'E_INVALID_OPTION' }))
    expect(define(change)).toThrow(`option "${option}"`)
    expect(define(change)).toThrow(message)
  })

  it('requires to know the models that a `load` reads', () => {
    expect(define({ load: () => [] })).toThrow('`load` may read any model')
  })
})
