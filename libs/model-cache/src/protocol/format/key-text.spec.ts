import { createKeySpace, type IdField } from './key-space.js'
import { fieldsOfText, textOfKey, textOfRowId, type TypedField, typedForm } from './key-text.js'
import { type KeyKind, keyTextOf } from './lookup-key.js'
import type { RowId } from './row-id.js'

const field = (kind: TypedField['kind'], name = 'a'): TypedField => ({ name, kind })

describe('fieldsOfText', () => {
  it.each<[kind: TypedField['kind'], text: string, value: unknown]>([
    ['string', '{"a":1}', '{"a":1}'],
    ['string', '', ''],
    ['number', '-7', -7],
    ['number', '1.5', 1.5],
    ['number', '12.25', 12.25],
    ['number', '1e3', 1_000],
    ['number', '1e+12', 1e12],
    ['number', '1E-12', 1e-12],
    ['bigint', '9007199254740993', 9007199254740993n],
    ['bigint', '7n', 7n],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['date', '2026-11-22T00:00:00Z', new Date('2026-11-22T00:00:00Z')],
    ['bytes', '00ff', Buffer.from([0, 255])],
  ])('reads a %s from %j', (kind, text, value) => {
    expect(fieldsOfText([field(kind)], text)).toEqual({ a: value })
  })

  it.each<[kind: TypedField['kind'], text: string]>([
    ['number', ''],
    ['number', 'x'],
    ['number', '0x10'],
    ['bigint', '1.5'],
    ['boolean', 'yes'],
    ['date', 'soon'],
    ['decimal', '1e3'],
    ['bytes', 'abc'],
  ])('reads no %s from %j', (kind, text) => {
    expect(fieldsOfText([field(kind)], text)).toBeUndefined()
  })

  it.each([
    ['1.50', '1.5'],
    ['007', '7'],
    ['10.00', '10'],
    ['-0', '0'],
    ['0.05', '0.05'],
    ['100', '100'],
  ])('reads the decimal %s as the key %s', (text, key) => {
    const { a } = fieldsOfText([field('decimal')], text)!
    expect(keyTextOf({ name: 'a', kind: 'decimal' as KeyKind, folds: false }, a)).toBe(key)
  })

  it('reads several fields from JSON, of which it ignores others', () => {
    const fields = [field('number'), field('bigint', 'b'), field('string', 'c')]
    expect(fieldsOfText(fields, '{"c":"x","b":"7","a":1,"d":{}}')).toEqual({ a: 1, b: 7n, c: 'x' })
    for (const text of ['', '7', 'null', '[]', '{"a":1,"b":"7"}', '{"a":1,"b":"7","c":{}}'])
      expect(fieldsOfText(fields, text)).toBeUndefined()
    expect(fieldsOfText([field('boolean'), field('string', 'b')], '{"a":false,"b":true}')).toEqual({
      a: false,
      b: 'true',
    })
    expect(typedForm(fields)).toBe('JSON with "a" (number), "b" (bigint), "c" (string)')
    expect(typedForm([field('date')])).toBe('a date')
  })

  it('reads all digits of a number in JSON', () => {
    const long = '{"a":9007199254740993,"b":12345678901234567.125}'
    const { a, b } = fieldsOfText([field('bigint'), field('decimal', 'b')], long)!
    expect(a).toBe(9007199254740993n)
    expect(keyTextOf({ name: 'b', kind: 'decimal', folds: false }, b)).toBe('12345678901234567.125')
  })

  it.each<[kinds: readonly IdField['kind'][], rowId: RowId, text: string]>([
    [['string'], 'a:b%3A', 'a:b%3A'],
    [['bigint'], 7n, '7'],
    [['date'], '1', '1970-01-01T00:00:00.001Z'],
    [['string', 'day'], 'a:0', '{"a":"a","b":"1970-01-01T00:00:00.000Z"}'],
    [['string', 'number', 'bigint'], 'a%3A%25b:7:9', '{"a":"a:%b","b":7,"c":"9"}'],
  ])('writes the id of %j that it reads: %s', (kinds, rowId, text) => {
    const fields = kinds.map((kind, i) => ({ name: 'abc'[i]!, kind }))
    expect(textOfRowId(fields, rowId)).toBe(text)
    const id = fieldsOfText(fields, text)!
    const { toRowId } = createKeySpace<never, unknown>({
      namespace: 'n',
      name: 'm',
      buckets: 1,
      id: fields,
      fingerprint: '',
    })
    expect(toRowId(fields.length > 1 ? id : id.a)).toBe(rowId)
  })

  it.each<[kinds: readonly TypedField['kind'][], key: string, text: string]>([
    [['string'], 'a%3A%25b', 'a:%b'],
    [['casedString'], '%=["Ü"]', 'Ü'],
    [['date'], '1', '1970-01-01T00:00:00.001Z'],
    [['uuid', 'boolean'], 'a:true', '{"a":"a","b":"true"}'],
    [['string', 'bytes'], '%=["ä:","00ff"]', '{"a":"ä:","b":"00ff"}'],
  ])('writes the key of %j in %s', (kinds, key, text) => {
    const fields = kinds.map((kind, i) => ({ name: 'ab'[i]!, kind }))
    expect(textOfKey(fields, key)).toBe(text)
    expect(fieldsOfText(fields, text)).toBeDefined()
  })
})
