import type { CatalogueListing } from 'model-cache/internal'
import { mysqlClient } from '../../../../../test/support/answering-client.js'
import { findingLines } from '../../../../../test/support/answering-node.js'
import { checkCollations } from './check-collations.js'

/** What is found of a lookup by a code, whose column has a collation. */
async function found(collation: string, option: 'fold' | 'caseSensitive'): Promise<readonly string[]> {
  const { client } = mysqlClient([
    ['information_schema.COLUMNS', [{ schema: 'shop', table: 'lots', name: 'code', collation }]],
  ])
  const kind = option === 'fold' ? 'string' : 'casedString'
  const columns = [{ field: 'code', column: 'code' }]
  const description = {
    name: 'Lot',
    lookups: [{ name: 'byCode', key: [{ name: 'code', kind, folds: true }] }],
    tables: { provider: 'mysql', models: [{ schema: 'public', name: 'lots', columns }] },
  }
  const caches = [{ description }] as unknown as CatalogueListing['caches']
  return findingLines(await checkCollations(client, caches, 'shop'))
}

describe('checkCollations', () => {
  const fine = 'ok mysql.collation: The collations of keys compare text as definitions say.'
  const contradiction = (option: string, collation: string, remedy: string) =>
    `error mysql.collation: Lot.byCode has \`${option}\`, but \`lots\`.\`code\` has the collation ${collation}. → ${remedy}`

  it.each(['utf8mb4_bin', 'latin1_general_cs', 'utf8mb4_0900_as_cs', 'utf8mb4_ja_0900_as_cs_ks'])(
    'takes %s for one that tells letters of either case apart',
    async (collation) => {
      expect(await found(collation, 'caseSensitive')).toEqual([fine])
      expect(await found(collation, 'fold')).toEqual([
        contradiction('fold', collation, "Write `caseSensitive: true` instead of `fold: 'case'`."),
      ])
    },
  )

  it.each(['utf8mb4_unicode_ci', 'utf8mb4_0900_as_ci', 'latin1_swedish_ci'])(
    'takes %s for one that does not',
    async (collation) => {
      expect(await found(collation, 'fold')).toEqual([fine])
      expect(await found(collation, 'caseSensitive')).toEqual([
        contradiction('caseSensitive', collation, "Write `fold: 'case'` instead of `caseSensitive: true`."),
      ])
    },
  )
})
