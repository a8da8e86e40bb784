import { jest } from '@jest/globals'
import { type } from 'arktype'
import fc from 'fast-check'
import { compileCodec } from '../compile-codec.js'
import { json } from '../row-types.js'

const schema = type({
  id: 'string',
  'note?': 'string | null',
  data: json,
  counts: { '[string]': 'number' },
  last: 'string',
})
const create = () => compileCodec(schema, { name: 'Lot' })
let codec: ReturnType<typeof create>
beforeEach(() => {
  codec = create()
})

/** Makes a record long enough for the search for non-ASCII characters. */
const filler = 'x'.repeat(800)

function decode(row: object, change = (bytes: Buffer) => bytes): unknown {
  const bytes = change(Buffer.from(`1;é;${codec.encode({ counts: {}, last: filler, ...row } as never)}`))
  return codec.decodeUtf8(bytes, 5)
}

const rowOf = (row: object): object => ({ counts: {}, last: filler, ...row })

describe('a record that is read from its bytes', () => {
  it.each([
    ['typographic marks', { id: '’', note: '“quoted” – and… ’', data: ['€', '’'] }],
    ['emoji in the keys of JSON', { id: '🎁', data: [{ '’': 1, 'a🎁b': '’' }] }],
    ['as many marks as are looked for', { id: '’'.repeat(16), data: null }],
    ['more of them', { id: '’'.repeat(17), data: null }],
    ['as many letters as are looked for', { id: 'é'.repeat(32), data: null }],
    ['more of them', { id: 'é'.repeat(33), data: null }],
    ['few marks in a short record', { id: '’', data: ['é', { '’': '🎁' }], last: 'ü' }],
    ['what looks like others in a short record', { id: 'â\x80\x99’', data: null, last: '' }],
    ['a string of two bytes per character', { id: 'a', data: null, last: '日'.repeat(400) }],
    ['halves of a character in two texts of JSON', { id: '’', data: ['é one \ud83c', '\udf81 two'] }],
    ['halves of a character in a key and its text', { id: 'a', data: [{ 'k\ud83c': '\udf81' }, '’'] }],
    ['halves of a character in JSON and a field', { id: '\udf81’', data: ['\ud83c'] }],
    ['halves of a character in two fields', { id: '’\ud83c', data: null, last: `\udf81${filler}` }],
    ['halves of a character in a key and a field', { id: 'a', data: '\udf81', counts: { '’\ud83c': 1 } }],
  ])('gives back %s', (_, row) => {
    expect(decode(row)).toEqual(rowOf(row))
  })

  it('round-trips any strings', () => {
    const text = fc
      .array(fc.constantFrom(...'a ’ é ł č \xa0 🎁 日 ’’ xyz \ud83c \udf81'.split(' ')), { maxLength: 8 })
      .map((parts) => parts.join(''))
    const row = fc.record({
      id: text,
      note: fc.option(text),
      data: fc.array(
        fc.dictionary(
          text.filter((key) => key !== '__proto__'),
          text,
        ),
        { maxLength: 3 },
      ),
      counts: fc.dictionary(text, fc.nat()),
    })
    fc.assert(
      fc.property(row, (row) => expect(decode(row)).toEqual(rowOf(row))),
      { numRuns: 300 },
    )
  })

  it('is read from its bytes if all its characters are known ones, and as a whole otherwise', () => {
    const isReadAsText = (row: object): boolean => {
      const bytes = Buffer.from(codec.encode(rowOf(row) as never))
      const toString = jest.spyOn(bytes, 'toString')
      expect(codec.decodeUtf8(bytes)).toEqual(rowOf(row))
      return toString.mock.calls.some(([encoding, , end]) => encoding === 'utf8' && end === undefined)
    }
    const row = { id: '’ü🎁', note: 'Ł', data: null }
    expect(isReadAsText(row)).toBe(false)
    expect(isReadAsText({ ...row, note: '日' })).toBe(true)
    expect(isReadAsText({ ...row, last: '’' })).toBe(true)
    expect(isReadAsText({ ...row, id: 'é'.repeat(31) })).toBe(false)
    expect(isReadAsText({ ...row, id: 'é'.repeat(32) })).toBe(true)
    const marks = (count: number) => ({ id: '’'.repeat(count), data: null })
    expect(isReadAsText(marks(16))).toBe(false)
    expect(isReadAsText(marks(17))).toBe(true)
    // With the mark at its end.
    const ofBytes = (count: number) => ({ id: '’', data: null, last: 'x'.repeat(count - 4) })
    expect(isReadAsText(ofBytes(767))).toBe(true)
    expect(isReadAsText(ofBytes(768))).toBe(false)
  })

  it('does not change what is read from a string afterwards', () => {
    const text = codec.encode(rowOf({ id: 'a', note: 'b', data: ['c'] }) as never)
    const wide = Buffer.from(codec.encode(rowOf({ id: '’', data: 'd', last: `’${filler}’` }) as never))
    // Some are refused before their last mark was reached.
    for (let at = 1; at < 40; at++) {
      const damaged = Buffer.from(wide)
      damaged[at] = damaged[at]! ^ 1
      codec.decodeUtf8(damaged)
      expect(codec.decode(text)).toEqual(rowOf({ id: 'a', note: 'b', data: ['c'] }))
    }
  })
})
