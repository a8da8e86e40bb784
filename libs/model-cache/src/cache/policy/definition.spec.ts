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
    [250, 250],
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

  it('refuses names that cannot be part of keys and labels', () => {
    for (const name of ['', '1', 'a b', 'a{b', 5]) expect(define({ name })).toThrow('option "name" is')
    expect(define({ model: undefined })).toThrow('option "model" is undefined')
  })

  it('refuses fields that cannot be ids', () => {
    const key = (change: object) => () => createTestCache(define(change)(), [])
    expect(define({ id: [] })).toThrow('is empty')
    expect(define({ id: ['id', 'id'] })).toThrow('names a field twice')
    expect(key({ id: 'uuid' })).toThrow('"uuid" is not a field of the schema, which has at, id')
    expect(key({ id: 'at' })).toThrow('"at" is a date; an id is a string, a number or a bigint')
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
