import { mysqlClient } from '../../../../test/support/answering-client.js'
import type { BegunTransaction } from './commit-views.js'
import { readMariadbEnd, readMariadbLogged, readMysqlEnd, readOwned, showLogStatus } from './log-end.js'
import { positionOf } from './log-position.js'
import type { Variables } from './server-variables.js'

const variablesOf = (version: string): Variables => new Map([['version', version]])
const begun = (gtid: string | undefined, start = 0n): BegunTransaction => ({ gtid, start })

describe('the end of the log of MariaDB', () => {
  const asked = [{ at: '1700000000123.4', state: '0-1-7' }]

  it('has the transactions of its state', async () => {
    const view = await readMariadbLogged(mysqlClient([['gtid_binlog_state', asked]]).client)
    expect(view.atMs).toBe(1_700_000_000_123.4)
    expect([begun('0-1-7'), begun('0-1-8'), begun(undefined)].map((one) => view.logs(one))).toEqual([
      true,
      false,
      true,
    ])
  })

  it('is where the snapshot of the rows is, which has what is before it', async () => {
    const status = [
      { Variable_name: 'Binlog_snapshot_file', Value: 'binlog.000002' },
      { Variable_name: 'Binlog_snapshot_position', Value: '400' },
    ]
    const { client } = mysqlClient([['WITH CONSISTENT SNAPSHOT', [asked, {}, status, {}]]])
    const { place, view } = await readMariadbEnd(client)
    expect([place, view.atMs, view.logs(begun('0-1-8'))]).toEqual([
      { file: 'binlog.000002', offset: 400 },
      1_700_000_000_123.4,
      false,
    ])
    const at = (offset: number) => begun('0-1-7', positionOf({ file: 'binlog.000002', offset }))
    expect([view.has(at(399)), view.has(at(400)), view.logs(at(400))]).toEqual([true, false, true])
  })

  it('is the start of a server that writes no log', async () => {
    const { client } = mysqlClient([['WITH CONSISTENT SNAPSHOT', [asked, {}, [], {}]]])
    expect((await readMariadbEnd(client)).place).toEqual({ file: '', offset: 0 })
  })
})

describe('the end of the log of MySQL', () => {
  const uuid = 'be044948-e95a-11f1-861c-02fc00000001'

  it('has the transactions that are executed, and so do readers', async () => {
    const status = [{ File: 'binlog.000003', Position: '700', Executed_Gtid_Set: `${uuid}:1-5` }]
    const { asked, client } = mysqlClient([['SHOW', [[{ at: '1700000000123.4' }], status]]])
    const { place, view } = await readMysqlEnd(variablesOf('8.4.3'))(client)
    expect([place, view.atMs]).toEqual([{ file: 'binlog.000003', offset: 700 }, 1_700_000_000_123.4])
    const transactions = [begun(`${uuid}:5`), begun(`${uuid}:6`), begun(undefined)]
    for (const is of [view.has, view.logs]) expect(transactions.map(is)).toEqual([true, false, true])
    expect(asked[0]![0]).toMatch(/; SHOW BINARY LOG STATUS$/)
  })

  it.each([
    ['5.7.44', 'SHOW MASTER STATUS'],
    ['8.0.40', 'SHOW MASTER STATUS'],
    ['8.1.0', 'SHOW MASTER STATUS'],
    ['8.2.0', 'SHOW BINARY LOG STATUS'],
    ['9.0.1', 'SHOW BINARY LOG STATUS'],
    ['11.4.2-MariaDB', 'SHOW MASTER STATUS'],
  ])('is shown by %s: %s', (version, statement) => {
    expect(showLogStatus(variablesOf(version))).toBe(statement)
  })

  it('is followed by transactions that are being committed', async () => {
    const other = 'aaaaaaaa-e95a-11f1-861c-02fc00000002'
    const owned = `${uuid}:6#21:77#22#23${other}:1#30:tagged:2#31:3#32`
    const read = (text: string) => readOwned(mysqlClient([['gtid_owned', [{ owned: text }]]]).client)
    expect(await read(owned)).toEqual([
      `${uuid}:6`,
      `${uuid}:77`,
      `${other}:1`,
      `${other}:tagged:2`,
      `${other}:tagged:3`,
    ])
    expect(await read('')).toEqual([])
  })
})
