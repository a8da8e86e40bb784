import type { SqlQuery, SqlResultSet } from './adapter.js'
import { fires, KnownTables, type TableFacts } from './table-facts.js'

function resultOf(row: Readonly<Record<string, unknown>>): SqlResultSet {
  return { columnNames: Object.keys(row), columnTypes: [], rows: [Object.values(row)] }
}

/** A connection to MySQL whose tables show no triggers. */
function connection(grants: () => string) {
  const sent: string[] = []
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

describe('the triggers of a table of PostgreSQL', () => {
  const beforeUpdate = 1 + 2 + 16
  const factsWith = (...triggers: readonly unknown[]): Promise<TableFacts> => {
    const row = { view: false, returns: true, locks: true, triggers: JSON.stringify(triggers) }
    const queryable = { queryRaw: async () => resultOf(row), executeRaw: async () => 0 }
    return new KnownTables('postgresql').of(tableNamed('Item'), queryable)
  }

  it('are fired by the columns that UPDATE OF names, and by any INSERT', async () => {
    const facts = await factsWith([beforeUpdate + 4, ['request', 'state']])
    expect(fires(facts, 'before update', ['title', 'state'])).toBe(true)
    expect(fires(facts, 'before update', ['title'])).toBe(false)
    expect(fires(facts, 'before insert', [])).toBe(true)
    expect(fires(facts, 'after update', ['request'])).toBe(false)
  })

  it('are fired by the columns of each, unless one of them has none', async () => {
    const [one, other, any] = [['one'], ['other'], null].map((columns) => [beforeUpdate, columns])
    expect(fires(await factsWith(one, other), 'before update', ['other'])).toBe(true)
    expect(fires(await factsWith(one, other), 'before update', ['third'])).toBe(false)
    expect(fires(await factsWith(one, any), 'before update', ['third'])).toBe(true)
    expect(fires(await factsWith(any, one), 'before update', ['third'])).toBe(true)
  })
})
