import { tableKey } from 'model-cache/internal'
import { type Asked, type ClientAnswers, mysqlClient } from '../../../../test/support/answering-client.js'
import { FollowedSchema } from './followed-schema.js'
import { findTables, readCharsets, schemasIn } from './found-tables.js'
import type { NamedLock } from './named-lock.js'

const lots = { schema: 'public', name: 'lots' }
const found = (name: string, kind = 'BASE TABLE', schema = 'shop') => ({ schema, name, kind })
/** A column of a foreign key, as the server lists it. */
const keyColumn = (change: Readonly<Record<string, string>> = {}) => ({
  schema: 'shop',
  name: 'bids',
  key: 'bids_lot',
  ofDelete: 'CASCADE',
  ofUpdate: 'RESTRICT',
  parentSchema: 'shop',
  parentName: 'lots',
  referenced: 'id',
  ...change,
})

/** The values of the statements that ask for something. */
const valuesOf = (asked: readonly Asked[], text: string) =>
  asked.filter(([sql]) => sql.includes(text)).map(([, values]) => values)

describe('the tables of a database', () => {
  it('have other versions once they are there, and no longer', async () => {
    const tables = [found('lots')]
    const { client } = mysqlClient([['information_schema.TABLES', () => [...tables]]])
    const lock = { run: (work: (one: typeof client) => unknown) => work(client) } as unknown as NamedLock
    const schema = new FollowedSchema(lock, 'shop', true)
    expect([schema.versions, schema.hasChanged, await schema.follow([])]).toEqual([new Map(), false, []])
    const bids = { ...lots, name: 'bids' }
    expect(await schema.follow([lots, bids])).toEqual([
      {
        table: tableKey(bids),
        isFollowed: false,
        message:
          'There is no table `shop`.`bids`, or the user may not see it. Migrate the database, or run: GRANT SELECT ON `shop`.`bids` TO …;',
      },
    ])
    const versions = new Map([[tableKey(lots), 'BASE TABLE']])
    await schema.refresh()
    expect([schema.versions, schema.hasChanged]).toEqual([versions, false])
    tables.push(found('bids'))
    await schema.refresh()
    expect([schema.versions, schema.hasChanged]).toEqual([versions, true])
    await schema.follow([lots, bids])
    expect([schema.versions.size, schema.hasChanged]).toEqual([2, false])
    tables.shift()
    await schema.refresh()
    expect(schema.hasChanged).toBe(true)
    tables.shift()
    await schema.refresh()
    expect(schema.hasChanged).toBe(true)
  })

  it.each([
    [false, true],
    [true, false],
  ])('change by foreign keys, unless the log has these changes: %p', async (logsCascades, isKnown) => {
    const { client } = mysqlClient([
      ['information_schema.TABLES', [found('lots')]],
      ['REFERENTIAL_CONSTRAINTS', [keyColumn()]],
    ])
    const lock = { run: (work: (one: typeof client) => unknown) => work(client) } as unknown as NamedLock
    const schema = new FollowedSchema(lock, 'shop', logsCascades)
    await schema.follow([lots])
    const cascade = schema.foreignKeys.cascadeOf({ schema: 'shop', name: 'lots' })
    expect(cascade !== undefined).toBe(isKnown)
  })
})

describe('what is found of tables', () => {
  const find = async (tables: readonly (typeof lots)[], answers: ClientAnswers) => {
    const { asked, client } = mysqlClient(answers)
    return { asked, result: await findTables(client, tables, schemasIn('shop')) }
  }

  it('is nothing of no tables, for which nobody is asked', async () => {
    const { asked, result } = await find([], [])
    expect([asked, result]).toEqual([[], { versions: new Map(), problems: [], foreignKeys: [] }])
  })

  it('are those of the database of the connection, and of those that models name', async () => {
    const bids = { schema: 'archive', name: 'bids' }
    const { asked, result } = await find(
      [lots, { ...lots, name: 'Sellers' }, bids],
      [
        [
          'information_schema.TABLES',
          [found('LOTS'), found('sellers'), found('bids', 'SYSTEM VERSIONED', 'archive')],
        ],
      ],
    )
    expect(result.problems).toEqual([])
    expect(result.versions).toEqual(
      new Map([
        [tableKey(lots), 'BASE TABLE'],
        [tableKey({ ...lots, name: 'Sellers' }), 'BASE TABLE'],
        [tableKey(bids), 'SYSTEM VERSIONED'],
      ]),
    )
    expect(valuesOf(asked, 'information_schema.TABLES')).toEqual([[['shop', 'archive']]])
  })

  it('is a problem if one is a view', async () => {
    const { result } = await find([lots], [['information_schema.TABLES', [found('lots', 'VIEW')]]])
    expect([result.versions.size, result.problems]).toEqual([
      0,
      [
        {
          table: tableKey(lots),
          isFollowed: false,
          message: expect.stringMatching(/^`shop`.`lots` is a view/) as string,
        },
      ],
    ])
  })

  it('has the foreign keys of their databases, and of those to which they lead', async () => {
    const other = { parentSchema: 'archive', parentName: 'years' }
    const { asked, result } = await find(
      [lots],
      [
        ['information_schema.TABLES', [found('lots')]],
        [
          'REFERENTIAL_CONSTRAINTS',
          ([schemas]) =>
            (schemas as string[]).includes('shop')
              ? [
                  keyColumn(),
                  keyColumn({ referenced: 'code' }),
                  keyColumn({ key: 'bids_year', ofDelete: 'SET NULL', ofUpdate: 'CASCADE', ...other }),
                  keyColumn({ name: 'notes', ofDelete: 'NO ACTION', ofUpdate: 'SET DEFAULT' }),
                ]
              : [keyColumn({ schema: 'archive', name: 'years', ...other, parentName: 'ages' })],
        ],
      ],
    )
    const keys = result.foreignKeys.map(({ child, deletesToo, onDelete, onUpdate, parent, referenced }) => [
      `${child.schema}.${child.name} → ${parent.schema}.${parent.name}`,
      referenced.join(),
      [onDelete && 'delete', onUpdate && 'update', deletesToo && 'deletes too'].filter(Boolean).join(),
    ])
    expect(keys).toEqual([
      ['shop.bids → shop.lots', 'id,code', 'delete,deletes too'],
      ['shop.bids → archive.years', 'id', 'delete,update'],
      ['shop.notes → shop.lots', 'id', 'update'],
      ['archive.years → archive.ages', 'id', 'delete,deletes too'],
    ])
    expect(valuesOf(asked, 'REFERENTIAL_CONSTRAINTS')).toEqual([
      [['shop'], ['shop']],
      [['archive'], ['archive']],
    ])
  })

  it.each([
    ['MariaDB', true, 'FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY'],
    ['MySQL', false, 'FROM information_schema.COLLATIONS'],
  ])('is the character set of each collation that has a number, on %s', async (_, ofMariadb, from) => {
    const rows = [
      { id: 8, charset: 'latin1' },
      { id: null, charset: 'utf8mb4' },
      { id: '45', charset: 'utf8mb4' },
    ]
    const { asked, client } = mysqlClient([['COLLATION', rows]])
    expect(await readCharsets(client, ofMariadb)).toEqual(
      new Map([
        [8, 'latin1'],
        [45, 'utf8mb4'],
      ]),
    )
    expect(asked[0]![0].endsWith(from)).toBe(true)
  })
})
