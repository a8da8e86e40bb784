import type { Redis } from 'ioredis'

export interface ListedTable {
  readonly provider?: 'postgresql' | 'mysql'
  readonly table: string
  /** The column by which the cache identifies rows. */
  readonly id?: string
  /** A column of text by which it has a list, and how its definition compares it. */
  readonly by?: readonly [column: string, option: 'fold' | 'caseSensitive']
}

/** Lists a cache of a table in the catalogue of a namespace, as an application does that has started. */
export async function listCache(
  admin: Redis,
  namespace: string,
  { by, id = 'id', provider = 'postgresql', table }: ListedTable,
): Promise<void> {
  const description = {
    v: 6,
    model: 'Lot',
    dependsOn: [],
    id: [{ name: id, kind: id === 'id' ? 'number' : 'string' }],
    buckets: 1,
    lookups: by ? [listBy(...by)] : [],
    tables: {
      provider,
      models: [
        {
          model: 'Lot',
          schema: 'public',
          name: table,
          columns: [columnOf(id, 'Int'), ...(by ? [columnOf(by[0], 'String')] : [])],
        },
      ],
      joins: [],
    },
  }
  const epoch = { '=epoch': 'epoch', 'Lot:f:1': `0;0;${JSON.stringify(description)}` }
  await admin.hset(`${namespace}:{catalogue}`, epoch)
  await admin.set(`${namespace}:{catalogue}:epoch`, 'epoch')
}

function listBy(column: string, option: 'fold' | 'caseSensitive'): object {
  const kind = option === 'fold' ? 'string' : 'casedString'
  return { name: 'byText', fingerprint: 'f', key: [{ name: column, kind, folds: true }], watched: [] }
}

function columnOf(column: string, type: string): object {
  return { field: column, column, type }
}
