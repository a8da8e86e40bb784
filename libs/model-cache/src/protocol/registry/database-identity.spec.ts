import { type DatabaseIdentity, identityAmong, isLater, kinshipOf, markOf } from './database-identity.js'

const now = { id: 'postgresql/1/shop', schema: 'public', history: '1', position: '60', name: 'shop' }
const seen = (position: string | undefined, change: Partial<DatabaseIdentity> = {}): DatabaseIdentity => ({
  ...now,
  position,
  incarnation: '',
  ...change,
})
const incarnationAmong = (...all: DatabaseIdentity[]): string => identityAmong(now, all).incarnation

describe('the incarnation of a database', () => {
  it('is the first one, or that of which it has been seen at no later position', () => {
    expect(incarnationAmong()).toBe('')
    expect(incarnationAmong(seen('60'), seen(undefined))).toBe('')
    expect(incarnationAmong(seen('100'), seen('59', { incarnation: 'a' }))).toBe('a')
  })

  it('is another one if it has been seen at a later position, whatever else was seen', () => {
    const restored = incarnationAmong(seen('61'))
    expect(restored).toMatch(/^[0-9a-f]{12}$/)
    for (const all of [
      [seen('61'), seen('50')],
      [seen('50'), seen('61')],
    ])
      expect(incarnationAmong(...all)).toBe(restored)
    // So that no earlier incarnation comes back.
    expect(incarnationAmong(seen('62'))).not.toBe(restored)
    expect(incarnationAmong(seen('61', { incarnation: 'a' }))).not.toBe(restored)
  })

  it.each([{ id: 'postgresql/2/shop' }, { history: '2' }])('is not that of another one (%j)', (change) => {
    expect(incarnationAmong(seen('100', change), seen('50', { ...change, incarnation: 'a' }))).toBe('')
  })
})

it.each([
  ['8', '7', true],
  ['7', '7', false],
  ['10', '9', true],
  ['9', '10', false],
  [undefined, '7', false],
  ['7', undefined, false],
  ['x8', '7', false],
  ['8x', '7', false],
])('the position %j is later than %j: %s', (one, other, expected) => {
  expect(isLater({ ...now, position: one }, { ...now, position: other })).toBe(expected)
})

it('databases are the same if they are in one state, whatever their position', () => {
  const one = seen('1')
  const other = (change: Partial<DatabaseIdentity>) => [
    kinshipOf(one, seen('2', change)),
    markOf(one) === markOf(seen('2', change)),
  ]
  expect(other({})).toEqual(['same', true])
  expect(other({ history: '2' })).toEqual(['other state', false])
  expect(other({ incarnation: 'a' })).toEqual(['other state', false])
  expect(other({ schema: '' })).toEqual(['same', true])
  expect(other({ schema: 'archive' })).toEqual(['other', true])
  expect(other({ id: 'postgresql/2/shop' })).toEqual(['other', false])
  expect(other({ id: 'migrated/1' })).toEqual(['unknown', false])
})
