import { type FoundTable, SharedTables } from './shared-tables.js'

const table = (name: string) => ({ schema: 'public', name })
const found = (
  kind: FoundTable['kind'],
  name: string,
  of: readonly string[],
  isOpaque = false,
): FoundTable => ({ ...table(name), kind, of: of.map(table), isOpaque })
const shared = new SharedTables(
  [
    found('view', 'active', ['users']),
    found('view', 'counts', ['users', 'orders_2026']),
    found('view', 'top', ['counts', 'active', 'shops']),
    found('view', 'computed', ['active'], true),
    found('view', 'overComputed', ['computed']),
    found('view', 'nothing', []),
    found('materialized view', 'monthly', ['orders']),
    found('view', 'overMonthly', ['monthly', 'users']),
    found('partition', 'orders_2026', ['orders']),
    found('partition', 'orders_2026_1', ['orders_2026']),
    found('child', 'cats', ['animals', 'pets']),
    found('child', 'dogs', ['animals']),
  ],
  false,
)
const of = (name: string) => {
  const rows = shared.of(table(name))
  return rows && [rows.kind, rows.tables.map((one) => one.name)]
}

describe('tables that share rows', () => {
  it.each([
    ['a table', 'users', undefined],
    ['a view', 'active', ['view', ['users']]],
    ['a view of a partition', 'counts', ['view', ['users', 'orders']]],
    ['a view of views', 'top', ['view', ['shops', 'users', 'orders']]],
    ['a view of no table', 'nothing', ['view', []]],
    ['a table with partitions', 'orders', undefined],
    ['a partition', 'orders_2026', ['partition', ['orders']]],
    ['a partition of a partition', 'orders_2026_1', ['partition', ['orders']]],
    ['a table that inherits from two', 'cats', ['child', ['animals', 'pets']]],
    ['a table from which it inherits', 'animals', ['child', ['pets']]],
    ['a table beside it', 'dogs', ['child', ['animals', 'pets']]],
  ])('are known of %s', (_, name, expected) => expect(of(name)).toEqual(expected))

  it.each([
    ['active', false, false],
    ['computed', false, true],
    ['overComputed', false, true],
    ['monthly', true, false],
    ['overMonthly', true, false],
  ])('tell what else is to be known of %s', (name, isMaterialized, isOpaque) => {
    expect(shared.of(table(name))).toMatchObject({ isMaterialized, isOpaque })
  })

  it.each([
    [true, ['users']],
    [false, undefined],
  ])('are found by the case of their names as the database finds them (%s)', (ignoresCase, tables) => {
    const rows = new SharedTables([found('view', 'Active', ['users'])], ignoresCase).of(table('aCTIVE'))
    expect(rows?.tables.map(({ name }) => name)).toEqual(tables)
  })
})
