import { jest } from '@jest/globals'
import {
  type ServerAnswers,
  answeringPostgres,
  stopAnswering,
} from '../../../../test/support/answering-server.js'
import { eventually } from '../../../../test/support/eventually.js'
import { manualClock } from '../../../../test/support/manual-clock.js'
import { StandbyPrimary } from './standby-primary.js'

const primaries: StandbyPrimary[] = []
afterEach(async () => {
  jest.restoreAllMocks()
  for (const primary of primaries.splice(0)) await primary.close()
  await stopAnswering()
})

async function primaryOf(answers: ServerAnswers = []) {
  const server = await answeringPostgres([...answers, ['pg_current_wal_flush_lsn', [{ end: '1/30' }]]])
  const primary = new StandbyPrimary({ url: `postgres://app:secret@127.0.0.1:${server.port}/shop` })
  primaries.push(primary)
  return { primary, server }
}
const base = 1n << 32n
const asksEnd = 'SELECT pg_current_wal_flush_lsn()::text AS end'

describe('the primary of a standby', () => {
  it('runs a statement, and says where its log ends then', async () => {
    const { primary, server } = await primaryOf()
    expect(primary.writtenTo).toBe(0n)
    await primary.write('CREATE PUBLICATION shop')
    expect([primary.writtenTo, server.asked]).toEqual([base + 0x30n, ['CREATE PUBLICATION shop', asksEnd]])
    expect(server.connected.length).toBe(1)
    await primary.close()
    await eventually(() => server.open() === 0)
    // It connects again.
    await primary.write('ALTER PUBLICATION shop')
    expect(server.connected.length).toBe(2)
  })

  it('is connected to again after an error', async () => {
    const { primary, server } = await primaryOf([['CREATE', new Error('denied')]])
    await expect(primary.write('CREATE PUBLICATION shop')).rejects.toThrow('denied')
    await eventually(() => server.open() === 0)
    await primary.write('ALTER PUBLICATION shop')
    expect(server.connected.length).toBe(2)
  })

  it('is ahead of the store by all that this one lacks, however short the standby has had it', async () => {
    const clock = manualClock()
    const { primary } = await primaryOf()
    await primary.ask()
    clock.pass(400)
    const lags = (replayed: bigint, taken: bigint): number[] => {
      const { ofStandbyMs, ofStoreMs } = primary.behind(base + replayed, base + taken)
      return [ofStandbyMs, ofStoreMs]
    }
    expect(lags(0x20n, 0x10n)).toEqual([400, 400])
    expect(lags(0x30n, 0x20n)).toEqual([0, 400])
    expect(lags(0x30n, 0x30n)).toEqual([0, 0])
  })

  it('that does not answer is ahead for as long as it is silent, but for the time between two reports', async () => {
    const clock = manualClock()
    const { primary, server } = await primaryOf([['pg_current_wal_flush_lsn', 'silence']])
    await primary.ask()
    clock.pass(500)
    expect(primary.behind(base, base)).toEqual({ ofStandbyMs: 0, ofStoreMs: 0 })
    clock.pass(100)
    expect(primary.behind(base, base)).toEqual({ ofStandbyMs: 100, ofStoreMs: 100 })
    // It is not asked twice at once.
    await primary.ask()
    expect(server.asked).toEqual([asksEnd])
  })

  it('that fails is asked again', async () => {
    const { primary, server } = await primaryOf([['pg_current_wal_flush_lsn', new Error('denied')]])
    await primary.ask()
    await primary.ask()
    expect([server.asked.length, server.connected.length]).toEqual([2, 2])
  })

  it('writes snapshots until the slot of the standby has been created', async () => {
    const creating = Promise.withResolvers<void>()
    const { primary, server } = await primaryOf()
    const writing = primary.writeSnapshots(creating.promise)
    await eventually(() => server.asked.length > 1)
    creating.resolve()
    await writing
    expect(new Set(server.asked)).toEqual(new Set(['SELECT pg_log_standby_snapshot()']))
    const { length } = server.asked
    await primary.writeSnapshots(Promise.reject(new Error('stopped')))
    expect(server.asked.length).toBe(length + 1)
  })
})
