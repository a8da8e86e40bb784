import { BinlogDecoder } from './binlog-events.js'
import { gtidSetOf, gtidStateOf } from './gtid.js'

/** The first events of two transactions on MySQL 9.7. */
const plain =
  '7ssHayEHAAAATwAAALsEAAAAAAC+BElI6VoR8YYcAvwAAAABBQAAAAAAAAACBAAAAAAAAAAFAAAAAAAAAAMWfrcnYQb8IAFQYgEAthHV9A=='
const tagged =
  '7ssHayoHAAAAUAAAANwFAAAAAAJyAAAAAvkCCJKQpQO0IsUDGQI4BPEDAAAAAgQEBgx0YWdnZWQIEAoYDH/pPX63J2EGEIUEEoMSC/o9UKg='

const begin = (event: string) => new BinlogDecoder(new Map(), true).decode(Buffer.from(event, 'base64'))
const uuid = 'be044948-e95a-11f1-861c-02fc00000001'

it('a transaction of MariaDB has been logged if the state has its number, or a later one of its domain and server', () => {
  const isLogged = gtidStateOf('0-1-7,0-2-20,5-1-3')
  expect(['0-1-7', '0-1-6', '0-2-20', '5-1-3'].map(isLogged)).toEqual([true, true, true, true])
  expect(['0-1-8', '5-1-4', '5-2-1', '1-1-1'].map(isLogged)).toEqual([false, false, false, false])
  expect(gtidStateOf('')('0-1-1')).toBe(false)
})

describe('a transaction of MySQL', () => {
  it('has a GTID, and the moment of its commit', () => {
    expect(begin(plain)).toMatchObject({
      kind: 'begin',
      start: 1132,
      gtid: `${uuid}:5`,
      atMs: expect.closeTo(1_795_673_070_000, -6),
    })
  })

  it('may have a tag', () => {
    const { atMs, ...rest } = begin(tagged) as { atMs: number; gtid: string }
    expect(rest).toMatchObject({ gtid: `${uuid}:tagged:1`, start: 1420 })
    expect(atMs - (begin(plain) as { atMs: number }).atMs).toBeCloseTo(12, -1)
  })

  it('has been executed if the set of these has its number', () => {
    const isExecuted = gtidSetOf(
      `aaaaaaaa-e95a-11f1-861c-02fc00000001:9,\n${uuid.toUpperCase()}:1-5:7:tagged:1-2:tag_1:9`,
    )
    const numbers = (...gtids: string[]) => gtids.map((gtid) => isExecuted(`${uuid}:${gtid}`))
    expect(numbers('1', '5', '7', 'tagged:2', 'tag_1:9')).toEqual([true, true, true, true, true])
    expect(numbers('6', '8', 'tagged:7', 'tagged:9', 'other:1')).toEqual([false, false, false, false, false])
    expect(gtidSetOf('')(`${uuid}:1`)).toBe(false)
  })
})
