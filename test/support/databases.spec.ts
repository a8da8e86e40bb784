import { allDatabases, chosenDatabases } from './databases.ts'

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
