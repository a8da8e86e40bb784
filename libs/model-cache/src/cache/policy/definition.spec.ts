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
    [1_500, 1_500],
  ] as const)('takes %s for %d milliseconds', (ttl, ms) => {
    expect(defineModelCache<Plain>()({ ...valid, ttl }).ttlMs).toBe(ms)
  })

  it.each(['', '10', '10 minutes', '-5s', '0s', 'soon', 0, -1, Number.NaN, Infinity, null, undefined])(
    'refuses a ttl of %p',
    (ttl) => {
      expect(define({ ttl })).toThrow(expect.objectContaining({ code: 'E_INVALID_DURATION' }))
      expect(define({ ttl })).toThrow('ModelCache "Row": ttl is ')
    },
  )

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
})
