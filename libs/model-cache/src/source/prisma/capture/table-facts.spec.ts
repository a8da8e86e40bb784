import type { SqlQuery, SqlResultSet } from './adapter.js'
import { KnownTables } from './table-facts.js'

/** A connection to MySQL whose tables show no triggers. */
function connection(grants: () => string) {
  const sent: string[] = []
  const resultOf = (row: Readonly<Record<string, unknown>>): SqlResultSet => ({
    columnNames: Object.keys(row),
    columnTypes: [],
    rows: [Object.values(row)],
  })
  return {
    /** How often it was asked for rights. */
    asked: () => sent.filter((sql) => sql === 'SHOW GRANTS').length,
    queryRaw: async ({ sql }: SqlQuery) => {
      sent.push(sql)
      return resultOf(sql === 'SHOW GRANTS' ? { Grants: grants() } : { schema: 'shop', triggers: null })
    },
    executeRaw: async () => 0,
  }
}

const tableNamed = (name: string) => ({ schema: '', name })

describe('the rights of a user of MySQL', () => {
  const grant = 'GRANT TRIGGER ON `shop`.* TO `app`@`%`'

  it('are asked for once, for all tables', async () => {
    const queryable = connection(() => grant)
    const tables = new KnownTables('mysql')
    for (const name of ['Item', 'Order', 'Item'])
      expect((await tables.of(tableNamed(name), queryable)).triggers.size).toBe(0)
    expect(queryable.asked()).toBe(1)
  })

  it('are asked for each time once the role may change', async () => {
    let granted = grant
    const queryable = connection(() => granted)
    const tables = new KnownTables('mysql')
    await tables.of(tableNamed('Item'), queryable)
    tables.forget()
    granted = 'GRANT USAGE ON *.* TO `app`@`%`'
    expect((await tables.of(tableNamed('Item'), queryable)).triggers.size).toBe(2)
    granted = grant
    expect((await tables.of(tableNamed('Order'), queryable)).triggers.size).toBe(0)
    expect(queryable.asked()).toBe(3)
  })

  it('are asked for again if the database has not said them', async () => {
    let granted = (): string => {
      throw new Error('refused')
    }
    const queryable = connection(() => granted())
    const tables = new KnownTables('mysql')
    expect((await tables.of(tableNamed('Item'), queryable)).triggers.size).toBe(2)
    granted = () => grant
    expect((await tables.of(tableNamed('Order'), queryable)).triggers.size).toBe(0)
  })
})
