import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Decimal } from '@prisma/client/runtime/client'
import { type } from 'arktype'
import { bytes, compileCodec, decimalOf, json } from 'model-cache/codec'

const LotRow = type({
  id: 'string',
  endsAt: 'Date',
  'soldAt?': 'Date | null',
  price: decimalOf(Decimal),
  views: 'bigint',
  image: bytes,
  meta: json,
  bids: type({ at: 'Date', 'note?': 'string' }).array(),
  position: ['number', 'boolean'],
  history: { '[string]': 'Date' },
  state: "'open' | 'sold' | null",
})

const MediaRow = type({ kind: "'image' | 'drawing'", url: 'string' })
  .or({ kind: "'video'", sound: 'true', at: 'Date' })
  .or({ kind: "'video'", sound: 'false', at: 'string' })
const PageRow = type({ main: MediaRow.or('null'), 'others?': MediaRow.array() })

const page: typeof PageRow.infer = {
  main: { kind: 'video', sound: true, at: new Date('2024-10-26T09:12:19.363Z') },
  others: [
    { kind: 'image', url: 'a.png' },
    { kind: 'video', sound: false, at: 'soon' },
  ],
}

const lot: typeof LotRow.infer = {
  id: 'H1 "🎁" \u2028',
  endsAt: new Date('2024-10-26T09:12:19.363Z'),
  price: new Decimal('10200.50'),
  views: 2n ** 64n,
  image: new Uint8Array([0, 255]),
  meta: { a: [1, null] },
  bids: [{ at: new Date(0), note: 'first' }, { at: new Date(1) }],
  position: [1.5, true],
  history: { day: new Date(2) },
  state: null,
}

/** What older deploys have written must stay readable, or get other keys. */
describe.each(['record', 'json'] as const)('the bytes of the %s format', (format) => {
  const fixture = join(import.meta.dirname, `pinned-bytes.${format}.json`)
  const codec = compileCodec(LotRow, { name: 'Lot', format })
  const pages = compileCodec(PageRow, { name: 'Page', format })
  const written = {
    fingerprint: codec.fingerprint,
    row: codec.encode(lot),
    withExceptions: codec.encode({ ...lot, soldAt: undefined, position: [-0, false] } as never),
    absent: codec.encode(null),
    union: { fingerprint: pages.fingerprint, row: pages.encode(page), without: pages.encode({ main: null }) },
  }
  if (process.env.UPDATE) writeFileSync(fixture, `${JSON.stringify(written, null, 2)}\n`)
  const pinned = JSON.parse(readFileSync(fixture, 'utf8')) as typeof written

  it('have not changed; if they had to, bump WIRE_VERSION and refresh the fixture with UPDATE=1', () => {
    expect(written).toEqual(pinned)
  })

  it('are read as the row that was written', () => {
    expect(codec.decode(pinned.row)).toStrictEqual(lot)
    expect(codec.decode(pinned.withExceptions)).toStrictEqual({
      ...lot,
      soldAt: undefined,
      position: [-0, false],
    })
    expect(codec.decode(pinned.absent)).toBeNull()
    expect(pages.decode(pinned.union.row)).toStrictEqual(page)
    expect(pages.decode(pinned.union.without)).toStrictEqual({ main: null })
  })
})
