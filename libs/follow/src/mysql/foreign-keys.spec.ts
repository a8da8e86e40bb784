import { type ForeignKey, ForeignKeys } from './foreign-keys.js'

const shop = (name: string) => ({ schema: 'shop', name })

/** A key from a child to its parent: `bids → lots`. */
const keyOf = (text: string, change: Partial<ForeignKey> = {}): ForeignKey => {
  const [child = '', parent = ''] = text.split(' → ')
  return {
    child: shop(child),
    parent: shop(parent),
    referenced: ['id'],
    onDelete: true,
    onUpdate: false,
    deletesToo: true,
    ...change,
  }
}
const setsNull = { deletesToo: false }
const onUpdate = { onDelete: false, deletesToo: false, onUpdate: true }
const onBoth = { onUpdate: true }

/** The tables whose rows change with those of lots. */
function cascadeOf(...keys: ForeignKey[]) {
  const foreignKeys = new ForeignKeys()
  foreignKeys.add(keys)
  return shown(foreignKeys)
}

function shown(foreignKeys: ForeignKeys) {
  const namesOf = (ids: ReadonlySet<string>) => [...ids].map((id) => (JSON.parse(id) as string[])[1]).join()
  const cascade = foreignKeys.cascadeOf(shop('Lots'))
  return (
    cascade && [
      namesOf(cascade.ofDelete),
      ...cascade.ofUpdate.map(({ columns, tables }) => `${columns.join()}: ${namesOf(tables)}`),
    ]
  )
}

describe('the rows that change with those of a table', () => {
  it.each<[string, ForeignKey[], readonly string[] | undefined]>([
    ['are none without keys', [], undefined],
    ['are none with keys of other tables', [keyOf('bids → sellers')], undefined],
    [
      'are none with keys that refuse a change',
      [keyOf('bids → lots', { onDelete: false, deletesToo: false })],
      undefined,
    ],
    ['are deleted with it', [keyOf('bids → lots')], ['bids']],
    ['are updated with it', [keyOf('bids → lots', onUpdate)], ['', 'id: bids']],
    [
      'are those of each key',
      [keyOf('bids → lots', onBoth), keyOf('notes → lots', { ...onUpdate, referenced: ['code', 'id'] })],
      ['bids', 'id: bids', 'code,id: notes'],
    ],
    [
      'are those that go with deleted ones',
      [keyOf('bids → lots'), keyOf('notes → bids'), keyOf('links → notes', setsNull)],
      ['bids,notes,links'],
    ],
    [
      'are not those of rows that only lose their keys',
      [keyOf('bids → lots', setsNull), keyOf('notes → bids')],
      ['bids'],
    ],
    [
      'are those that are updated with updated ones',
      [keyOf('bids → lots', setsNull), keyOf('notes → bids', onUpdate), keyOf('links → notes', onUpdate)],
      ['bids,notes,links'],
    ],
    [
      'are not those that are updated with rows that are deleted',
      [keyOf('bids → lots'), keyOf('notes → bids', onUpdate)],
      ['bids'],
    ],
    [
      'are not those that are deleted with rows that are updated',
      [keyOf('bids → lots', onUpdate), keyOf('notes → bids')],
      ['', 'id: bids'],
    ],
    [
      'are those of rows that are deleted, and others of rows that are updated',
      [keyOf('bids → lots', onBoth), keyOf('notes → bids')],
      ['bids,notes', 'id: bids'],
    ],
    [
      'are known where keys lead round',
      [keyOf('bids → lots'), keyOf('lots → bids', onBoth), keyOf('notes → lots', onBoth)],
      ['bids,lots,notes', 'id: notes'],
    ],
    [
      'are those that lose their keys, and those that are deleted, of one table',
      [
        keyOf('bids → lots', setsNull),
        keyOf('bids → lots', { referenced: ['code'] }),
        keyOf('notes → bids'),
        keyOf('links → bids', onUpdate),
      ],
      ['bids,links,notes'],
    ],
  ])('%s', (_, keys, tables) => {
    const found = cascadeOf(...keys)
    expect(found && [found[0]!.split(',').toSorted(), ...found.slice(1)]).toEqual(
      tables && [tables[0]!.split(',').toSorted(), ...tables.slice(1)],
    )
  })

  it('are those of keys that are found later as well, and of each key once', () => {
    const foreignKeys = new ForeignKeys()
    expect(shown(foreignKeys)).toBeUndefined()
    foreignKeys.add([keyOf('bids → lots', onUpdate)])
    expect(shown(foreignKeys)).toEqual(['', 'id: bids'])
    foreignKeys.add([keyOf('bids → lots', onUpdate), keyOf('notes → lots')])
    expect(shown(foreignKeys)).toEqual(['notes', 'id: bids'])
  })
})
