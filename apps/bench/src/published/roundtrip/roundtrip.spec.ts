import { intervalsOf, sizeOf, throughputCells } from './roundtrip.ts'

describe('the throughput', () => {
  const round = (roundTrips: number) => ({
    fixtures: { User: { serialize: 2 * roundTrips, deserialize: 3 * roundTrips, 'round trip': roundTrips } },
    idle: 1,
  })
  const cells = throughputCells('v1', [round(90_000), round(100_000), round(120_000)])

  it('is the median of the rounds', () => {
    expect(cells.map(({ perSecond }) => perSecond)).toEqual([200_000, 300_000, 100_000])
  })

  it('of v1 sets the load at half of its pace', () => {
    // 64 round trips of 10 µs take 640 µs.
    expect(intervalsOf(cells)).toEqual({ User: 1_280 })
  })
})

it.each([
  [93, '0.1 kB'],
  [1_090, '1 kB'],
  [990_000, '1 MB'],
])('%d bytes are about %s', (bytes, name) => expect(sizeOf(bytes)).toBe(name))
