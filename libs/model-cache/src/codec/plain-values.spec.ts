import { runInNewContext } from 'node:vm'
import { copyByValue } from './copy-by-value.js'
import { isWritableJson, maxJsonDepth } from './plain-json.js'
import { isInheritedName, isPlainObject, ownFieldOf } from './plain-object.js'

const nested = (levels: number, within: (value: unknown) => unknown): unknown => {
  let value: unknown = {}
  for (let level = 1; level < levels; level++) value = within(value)
  return value
}

describe('parsed JSON', () => {
  it.each([
    null,
    true,
    'x',
    0,
    -1.5,
    [],
    {},
    [1, [null, 'x'], { a: 1 }],
    { a: { b: [] } },
    { length: 1, a: 1 },
  ])('can be written if it is %j', (value) => {
    expect(isWritableJson(value)).toBe(true)
  })

  it.each(['1e999', '[1,-1e999]', '{"a":{"b":[0,1e999]},"c":1}', '[[1e999],1]', '{"a":1,"b":1e999}'])(
    'cannot be written if it is %s',
    (text) => {
      expect(isWritableJson(JSON.parse(text))).toBe(false)
    },
  )

  it.each<[string, (value: unknown) => unknown]>([
    ['arrays', (value) => [1, value]],
    ['objects', (value) => ({ a: 1, value })],
  ])('cannot be written with %s of more than 1,000 levels', (_, within) => {
    expect(isWritableJson(nested(maxJsonDepth, within))).toBe(true)
    expect(isWritableJson(nested(maxJsonDepth + 1, within))).toBe(false)
    expect(isWritableJson(within(nested(maxJsonDepth - 1, within)))).toBe(true)
  })
})

describe('a plain object', () => {
  it.each<[string, unknown, boolean]>([
    ['a literal', { a: 1 }, true],
    ['an object without a prototype', Object.create(null), true],
    ['an object of another realm', runInNewContext('({ a: 1 })'), true],
    ['an object of an object', Object.create({ a: 1 }), false],
    ['an object whose prototype has the names of Object', Object.create({ hasOwnProperty: 1 }), false],
    ['an object whose prototype has none', Object.create(Object.create(null) as object), false],
    ['an array', [], false],
    ['an array of another realm', runInNewContext('[]'), false],
    ['a date', new Date(0), false],
    ['an object of a class', new URL('a:b'), false],
    ['a function', () => 1, false],
    ['a text', 'x', false],
    ['null', null, false],
    ['undefined', undefined, false],
  ])('is %s or not: %#', (_, value, expected) => {
    expect(isPlainObject(value)).toBe(expected)
  })

  it('has fields of its own alone', () => {
    const row = { a: 1, b: undefined }
    expect(['a', 'b', 'toString', '__proto__'].map((name) => ownFieldOf(row, name))).toEqual([
      1,
      undefined,
      undefined,
      undefined,
    ])
    expect(['a', 'toString', 'constructor', '__proto__', 'toJSON'].map(isInheritedName)).toEqual([
      false,
      true,
      true,
      true,
      false,
    ])
  })

  it('is copied by value with all that is in it, but instances of classes', () => {
    const map = new Map()
    const value = {
      at: new Date(5),
      list: [{ bytes: new Uint8Array([1]) }],
      map,
      no: null,
      text: 'x',
      not: undefined,
    }
    const copy = copyByValue(value)
    expect(copy).toStrictEqual(value)
    expect(copy.map).toBe(map)
    for (const pair of [
      [copy, value],
      [copy.at, value.at],
      [copy.list[0], value.list[0]],
      [copy.list[0]!.bytes, value.list[0]!.bytes],
    ])
      expect(pair[0]).not.toBe(pair[1])
    for (const plain of [null, undefined, 'x', 5]) expect(copyByValue(plain)).toBe(plain)
  })

  it('is copied by value also if it leads back to itself', () => {
    const team = { at: new Date(5), members: [] as object[] }
    team.members.push(...[1, 2, 3].map((id) => ({ id, team })))
    const copy = copyByValue(team)
    expect(copy).toEqual(team)
    const first = copy.members[0] as { readonly team: object }
    expect([first === team.members[0], first.team === copy, copy.at === team.at]).toEqual([
      false,
      true,
      false,
    ])
  })
})
