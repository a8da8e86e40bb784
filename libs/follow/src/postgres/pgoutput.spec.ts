import { PgOutput } from './pgoutput.js'

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])
const int32 = (value: number): Buffer => Buffer.concat([int16(0), int16(value)])
const message = (...parts: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))

/** A table with a key of two columns, and two others. */
const describe7 = (identity: string, schema = 'public'): Buffer =>
  message(
    'R',
    int32(7),
    `${schema}\0posts\0${identity}`,
    int16(4),
    ...['id', 'site', 'title', 'body'].flatMap((name, i) => [
      Buffer.from([i < 2 ? 1 : 0]),
      `${name}\0`,
      int32(20 + i),
      int32(0xffff),
    ]),
  )

/** Texts, `null` for NULL, and undefined for a large value that is not sent. */
const row = (...values: readonly (string | null | undefined)[]): Buffer =>
  message(
    int16(values.length),
    ...values.flatMap((value) =>
      value === null ? ['n'] : value === undefined ? ['u'] : ['t', int32(Buffer.byteLength(value)), value],
    ),
  )

/** Decodes a change of the described table, with rows as objects. */
function decode(...parts: readonly (string | Buffer)[]): unknown {
  const decoder = new PgOutput(() => new Set(['id', 'site', 'body']))
  expect(decoder.decode(describe7('d'))).toEqual({ kind: 'other' })
  const text = JSON.stringify(decoder.decode(message(...parts)), (key, value: unknown) =>
    key === 'table' ? undefined : value instanceof Map ? Object.fromEntries(value) : value,
  )
  return JSON.parse(text)
}

describe('the decoder of pgoutput', () => {
  it.each<[string, readonly (string | Buffer)[], unknown]>([
    [
      'the begin of a transaction, a second after the clock of PostgreSQL began',
      ['B', int32(0), int32(0), Buffer.from([0, 0, 0, 0, 0, 0x0f, 0x42, 0x40]), int32(7)],
      { kind: 'begin', transaction: { committedAtMs: Date.parse('2000-01-01T00:00:01Z'), id: 7 } },
    ],
    [
      'a new row, of which the wanted columns are read',
      ['I', int32(7), 'N', row('1', 'é', 'title', null)],
      { kind: 'insert', row: { id: '1', site: 'é', body: null } },
    ],
    [
      'a row that keeps its key, and a large value that is not sent',
      ['U', int32(7), 'N', row('1', undefined, 'title', null)],
      { kind: 'update', row: { id: '1', body: null } },
    ],
    [
      'a row that changes its key, whose other columns are not known from before',
      ['U', int32(7), 'K', row('1', null, null, 'x'), 'N', row('2', 'a', null, null)],
      { kind: 'update', before: { id: '1' }, row: { id: '2', site: 'a', body: null } },
    ],
    [
      'a row with all that it was',
      ['U', int32(7), 'O', row('1', 'a', null, null), 'N', row('1', 'a', null, 'text')],
      {
        kind: 'update',
        before: { id: '1', site: 'a', body: null },
        row: { id: '1', site: 'a', body: 'text' },
      },
    ],
    [
      'the key of a row that is gone',
      ['D', int32(7), 'K', row('1', 'a', null, null)],
      { kind: 'delete', before: { id: '1', site: 'a' } },
    ],
    [
      'all of a row that is gone',
      ['D', int32(7), 'O', row('1', 'a', null, null)],
      { kind: 'delete', before: { id: '1', site: 'a', body: null } },
    ],
    ['a type', ['Y'], { kind: 'other' }],
    ['an origin', ['O'], { kind: 'other' }],
    ['a message of an application', ['M'], { kind: 'other' }],
  ])('reads %s', (_, parts, change) => {
    expect(decode(...parts)).toEqual(change)
  })

  it.each([
    ['d', 'public', { schema: 'public', isWhole: false }],
    ['f', '', { schema: 'pg_catalog', isWhole: true }],
  ])('reads a table with replica identity %j in schema %j', (identity, schema, facts) => {
    const decoder = new PgOutput(() => new Set())
    decoder.decode(describe7(identity, schema))
    expect(decoder.decode(message('T', int32(1), '\0', int32(7)))).toEqual({
      kind: 'truncate',
      tables: [
        {
          oid: 7,
          name: 'posts',
          ...facts,
          columns: [
            { name: 'id', isKey: true, type: 20 },
            { name: 'site', isKey: true, type: 21 },
            { name: 'title', isKey: false, type: 22 },
            { name: 'body', isKey: false, type: 23 },
          ],
        },
      ],
    })
  })

  it('reads other columns from the moment at which they are wanted', () => {
    let wanted = new Set(['id'])
    const decoder = new PgOutput(() => wanted)
    decoder.decode(describe7('d'))
    const insert = message('I', int32(7), 'N', row('1', 'a', 'title', null))
    expect(decoder.decode(insert)).toMatchObject({ row: new Map([['id', '1']]) })
    wanted = new Set(['title'])
    decoder.refresh()
    expect(decoder.decode(insert)).toMatchObject({ row: new Map([['title', 'title']]) })
  })

  it.each([
    ['of a kind that it does not know', message('?'), 'unknown kind, 0x3f'],
    ['of a table that was not described', message('I', int32(8)), 'change of table 8'],
  ])('refuses a message %s', (_, bytes, reason) => {
    expect(() => decode(bytes)).toThrow(
      expect.objectContaining({ code: 'E_FOLLOW', message: expect.stringContaining(reason) }),
    )
  })
})
