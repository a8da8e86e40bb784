import { allDatabases, chosenDatabases } from './databases.ts'

describe.each(chosenDatabases())('a database of $name', ({ create, provider }) => {
  it('is empty, and runs scripts and queries', async () => {
    const database = await create()
    await database.run('CREATE TABLE one (n INT); INSERT INTO one VALUES (1), (2);')
    const [row] = await database.rows<{ sum: unknown }>('SELECT sum(n) AS sum FROM one')
    expect(Number(row?.sum)).toBe(3)
    await database.drop()
  })

  it('is reached by an adapter of its provider', async () => {
    const database = await create()
    const adapter = await database.adapter(1).connect()
    const { rows } = await adapter.queryRaw({ sql: 'SELECT 1 + 1 AS two', args: [], argTypes: [] })
    expect(Number(rows[0]?.[0])).toBe(2)
    expect(provider).toBe(adapter.provider === 'postgres' ? 'postgresql' : adapter.provider)
    await adapter.dispose()
    await database.drop()
  })
})

describe('the databases of a run', () => {
  const isAvailable = (name: string) => allDatabases.find((kind) => kind.name === name)!.isAvailable()

  it('are all that can be had, of those on which a spec can run', () => {
    expect(chosenDatabases(['sqlite', 'postgresql'], '').map(({ name }) => name)).toEqual([
      'postgresql',
      'sqlite',
    ])
    expect(chosenDatabases(undefined, '').every(({ name }) => isAvailable(name))).toBe(true)
  })

  it('are those that DATABASES names', () => {
    expect(chosenDatabases(undefined, 'sqlite, postgresql').map(({ name }) => name)).toEqual([
      'postgresql',
      'sqlite',
    ])
    expect(chosenDatabases(['postgresql'], 'sqlite')).toEqual([])
  })

  it('are all others but the one that DATABASES leaves out', () => {
    expect(
      chosenDatabases(['sqlite', 'postgresql', 'sqlite-shared'], '-sqlite').map(({ name }) => name),
    ).toEqual(['postgresql', 'sqlite-shared'])
  })

  it('are not chosen by a name that none has', () => {
    expect(() => chosenDatabases(undefined, 'oracle')).toThrow(
      'There is no database oracle to test on. Choose from postgresql, mysql, mysql-binary, sqlite, sqlite-shared.',
    )
  })
})
