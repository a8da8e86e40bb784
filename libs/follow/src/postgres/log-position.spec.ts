import { positionIn, textOfPosition, untilReplayed } from './log-position.js'

describe('a position of the log', () => {
  it.each([
    ['0/0', 0n],
    ['0/30', 0x30n],
    ['16/b374d848', 0x16_b374_d848n],
  ])('is a number: %s', (text, position) => {
    expect([positionIn(text), textOfPosition(position)]).toEqual([position, text])
  })

  it('is waited for until a standby has it', async () => {
    const answers = [undefined, { has: false }, { has: true }]
    const asked: string[] = []
    await untilReplayed(async (sql) => {
      asked.push(sql)
      return answers.shift()
    }, 0x16_b374_d848n)
    expect(new Set(asked)).toEqual(
      new Set(["SELECT NOT pg_is_in_recovery() OR pg_last_wal_replay_lsn() >= '16/b374d848'::pg_lsn AS has"]),
    )
    expect(asked.length).toBe(3)
  })
})
