import { type } from 'arktype'
import { undecodable } from '../codec.js'
import { compileCodec } from '../compile-codec.js'
import { json } from '../row-types.js'

const codec = compileCodec(
  type({
    id: 'string',
    'note?': 'string | null',
    tags: 'string[]',
    byName: { '[string]': 'string' },
    data: json,
  }),
)
const words = 'some words of text, and a question? '
const row = (change: object = {}) => ({ id: words.repeat(50), tags: [], byName: {}, data: null, ...change })
const encode = (value: object) => codec.encode(value as never)
const isAscii = (text: string) => Buffer.byteLength(text) === text.length

describe('wide characters of a record', () => {
  it.each([
    ['at the start of a text', { note: `’${words}` }],
    ['at its end', { note: `${words}’` }],
    ['that is all of it', { note: '’' }],
    ['several in a row', { note: `${words}“’”${words}` }],
    ['of Latin-1', { note: 'Café' }],
    ['of two code units', { note: `${words}🎁${words}` }],
    ['beside placeholders', { note: '?’?', tags: ['?', '’', '?'] }],
    ['of several texts', { id: `${words.repeat(50)}é`, tags: ['é', '', 'é'] }],
    ['of an open key', { byName: { é: 'x', x: 'é' } }],
    ['of JSON', { data: { text: 'é', long: `${words}${words}é`, list: ['é', 1] } }],
    ['of a key in JSON', { data: [{ é: 1 }, { é: 2 }, { b: 'é' }] }],
    ['far from each other', { id: words.repeat(7_000), note: `${words}é`, tags: ['é'] }],
  ])('stand apart, and come back: %s', (_, change) => {
    const value = row(change)
    const text = encode(value)
    expect(text.startsWith('%')).toBe(true)
    expect(isAscii(text)).toBe(true)
    expect(codec.decode(Buffer.from(text).toString())).toStrictEqual(value)
    expect(codec.decode(`header;${text}`, 7)).toStrictEqual(value)
  })

  it.each([
    ['there are none', {}],
    ['they are many', { note: 'żółć'.repeat(10) }],
    ['one is too far behind', { id: words.repeat(7_000), tags: [words.repeat(7_000), 'é'] }],
  ])('stay in the text when %s', (_, change) => {
    const value = row(change)
    const text = encode(value)
    expect(text.startsWith('#')).toBe(true)
    expect(codec.decode(Buffer.from(text).toString())).toStrictEqual(value)
  })

  it('do not depend on the rows that were written before', () => {
    const small = row({ note: 'é' })
    const before = encode(small)
    for (const length of [1, 100, 300]) encode(row({ id: `${'é'.repeat(3)}${words.repeat(length)}` }))
    expect(encode(small)).toBe(before)
  })

  it('are not taken from the record before', () => {
    const wide = encode(row({ note: 'é', tags: ['é'] }))
    expect(codec.decode(wide.slice(0, -1))).toBe(undecodable)
    expect(codec.decode(encode(row({ note: '?' })))).toStrictEqual(row({ note: '?' }))
  })

  it('are refused where a record has no place for them', () => {
    const text = encode(row({ note: 'é', tags: ['é'] }))
    expect(text.slice(0, 4)).toBe('%002')
    const damaged = [
      // More or fewer than are there, a list without a record, places behind the end, twice the same, in front.
      `%001${text.slice(4)}`,
      `%003${text.slice(4)}`,
      `%oooo`,
      '%000',
      `%000${text.slice(16)}`.replace('#', ''),
      `${text.slice(0, 4)}ooo${text.slice(7)}`,
      `${text.slice(0, 10)}000${text.slice(13)}`,
      `${text.slice(0, 4)}001${text.slice(7)}`,
      text.replace('??#', '!?#'),
    ]
    for (const each of damaged) expect(codec.decode(each)).toBe(undecodable)
  })
})
