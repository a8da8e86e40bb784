import { bytesBetween, placeIn, placeText, positionOf } from './log-position.js'

const at = (file: string, offset: number): bigint => positionOf({ file, offset })

describe('a place in the binlog', () => {
  it('is a number that grows with the files and within them', () => {
    const places = [
      at('binlog.000002', 4),
      at('binlog.000002', 400),
      at('binlog.000010', 4),
      at('mysql2-bin.1000000', 4),
    ]
    expect(places.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(places)
    expect(places[2]! - places[0]!).toBe(8n << 40n)
  })

  it('is as far from another one as the log between them is large, of whose files the size is the largest', () => {
    const between = (from: bigint, to: bigint) => bytesBetween(from, to, 1_000)
    expect(between(at('binlog.000002', 100), at('binlog.000002', 500))).toBe(400)
    expect(between(at('binlog.000002', 900), at('binlog.000005', 100))).toBe(2_200)
    expect(between(at('binlog.000002', 500), at('binlog.000002', 100))).toBe(0)
  })
  it('is noted with the event that is there, and is unknown of a text that another version has noted', () => {
    const place = { file: 'binlog.000002', offset: 400 }
    const bytes = Buffer.from([1, 2])
    expect(placeIn(placeText(place, bytes, '7'))).toEqual({ ...place, bytes, server: '7' })
    expect(
      ['', 'no JSON', '{}', 'null', '[1]', '["binlog.000002","4","",""]', '["binlog.000002",4,""]'].map(
        placeIn,
      ),
    ).toEqual(Array(7).fill(undefined))
  })
})
