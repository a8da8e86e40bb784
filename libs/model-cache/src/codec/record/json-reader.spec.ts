import { JsonReader } from './json-reader.js'
import { JsonShapes, makeObject } from './json-shapes.js'
import { JsonWriter } from './json-writer.js'
import { WideTexts } from './wide-texts.js'

/** Reads digits of one `Json` field; they must be consumed. */
function read(digits: string, text = '', reader = new JsonReader()): unknown {
  const bytes = Buffer.from(`##${digits}`, 'latin1')
  reader.begin(bytes, bytes.length, new WideTexts())
  const value = reader.read(`--${text}`, 2, 2)
  expect([reader.head, reader.body]).toEqual([bytes.length, 2 + text.length])
  return value
}

const long = 'k'.repeat(65)

describe('the reader of Json fields', () => {
  it.each([
    '',
    'a',
    'x'.repeat(50),
    'x'.repeat(51),
    'x'.repeat(5_000),
    true,
    false,
    null,
    0,
    4095,
    4096,
    -1,
    2 ** 29 - 1,
    -(2 ** 29),
    2 ** 29,
    -(2 ** 29) - 1,
    0.1,
    -1.7976931348623157e308,
    [],
    [1, 'a', [null, {}]],
    { a: 1, bc: 'd', 3: [], '': '' },
    [{ a: 1 }, { b: 1 }, { a: 2 }, { b: { a: { b: 3 } } }, { c: 1 }, { c: 2 }],
    { [long]: { [long]: 1 }, b: 2 },
    Array.from({ length: 5_000 }, (_, i) => i),
  ])('reads what the writer wrote of %j', (value) => {
    const bytes = Buffer.alloc(100_000)
    const writer = new JsonWriter()
    writer.begin(bytes)
    const end = writer.write(value, 0)
    const found = read(bytes.toString('latin1', 0, end), writer.takeTexts())
    expect(found).toStrictEqual(value)
    expect(JSON.stringify(found)).toBe(JSON.stringify(value))
  })

  it.each([
    ['an unknown tag', 'g001k', ''],
    ['a missing tag', 'g001o', ''],
    ['no digits', '', ''],
    ['an array with more elements than digits', 'g002n', ''],
    ['an array that does not end', 'goomn', ''],
    ['a shape that is not there', 'f00n', ''],
    ['a shape of the future', 'g002f01ne01n', 'a'],
    ['a key that is a number', 'd001j01n', ''],
    ['a key that is null', 'd001nn', ''],
    ['a key __proto__', 'd0019n', '__proto__'],
    ['a number that is none', 'h1', 'x'],
    ['an infinite number', 'h5', '1e999'],
  ])('refuses %s', (_, digits, text) => {
    expect(() => read(digits, text)).toThrow(TypeError)
  })

  it('allocates no more elements than a record has digits, however deep its arrays are', () => {
    // Each of these arrays says that it has most of the digits behind it as its elements.
    const nested = 'g0@0'.repeat(900) + 'n'.repeat(1_000)
    const counts: number[] = []
    const allocate = Array
    globalThis.Array = new Proxy(allocate, {
      apply(target, self, given: [number]) {
        counts.push(given[0])
        return Reflect.apply(target, self, given) as unknown
      },
    })
    let found: unknown
    try {
      found = read(nested)
    } catch (error) {
      found = error
    } finally {
      globalThis.Array = allocate
    }
    expect(String(found)).toContain('not the digits of JSON')
    expect(counts).toContain(1_024)
    expect(counts.reduce((sum, count) => sum + count)).toBeLessThan(nested.length + 1_000)
  })

  it('does not read the shapes of an earlier record', () => {
    const reader = new JsonReader()
    expect(read('g002e01ne01n', 'ab', reader)).toEqual([{ a: null }, { b: null }])
    expect(read('g002e01nf00n', 'c', reader)).toEqual([{ c: null }, { c: null }])
    expect(() => read('g002e01nf01n', 'c', reader)).toThrow('not the digits of JSON')
  })

  it.each([
    ['arrays', 'g001', 'n', ''],
    ['objects', 'e01', 'n', 'a'],
    ['objects of open keys', 'd0011', 'n', 'a'],
  ])('refuses %s of more than 1,000 levels', (_, digits, last, text) => {
    expect(() => read(digits.repeat(1_000) + last, text.repeat(1_000))).not.toThrow()
    expect(() => read(digits.repeat(1_001) + last, text.repeat(1_001))).toThrow('not the digits of JSON')
  })
})

describe('the shapes of JSON', () => {
  it('are known by their keys, until others take their place', () => {
    const shapes = new JsonShapes()
    const lists = ['', 'a', 'b', 'a\nb', 'b\na', 'k"\\']
    const made = lists.map((list) => shapes.of(list))
    expect(made.map(({ keys }) => keys)).toEqual([[''], ['a'], ['b'], ['a', 'b'], ['b', 'a'], ['k"\\']])
    expect(lists.map((list) => shapes.of(list))).toEqual(made)
    for (const list of lists) expect(shapes.of(list)).toBe(shapes.of(list))
    for (let i = 0; i < 5_000; i++) expect(shapes.of(`key${i}`).list).toBe(`key${i}`)
  })

  it.each(['__proto__', 'a\n__proto__', 'a\nb\na', '\n'])('are not of the keys %j', (list) => {
    expect(() => new JsonShapes().of(list)).toThrow('not a list of keys')
  })

  it('get a literal after 200 objects, which makes the same ones', () => {
    const shape = new JsonShapes().of('b\na\n"\\')
    let next = 0
    const reader = { readValue: (text: string, depth: number) => `${text} ${depth} ${next++}` }
    const make = () => makeObject(shape, reader, 'x', 5)
    for (let i = 0; i < 199; i++) make()
    expect(shape.make).toBeUndefined()
    for (const from of [597, 600, 603]) {
      expect(JSON.stringify(make())).toBe(
        JSON.stringify({ b: `x 5 ${from}`, a: `x 5 ${from + 1}`, '"\\': `x 5 ${from + 2}` }),
      )
      expect(shape.make).toBeDefined()
    }
  })
})
