import type { SchemaFacts } from 'model-cache/advanced'
import { createRandom, type Random } from '#prisma/demo/random.js'
import { say } from '../../harness/progress.ts'
import { ask, queryOf, resultText } from './ask.ts'
import type { Corpus } from './corpora.ts'
import type { Row } from './rows.ts'

/** Reads of the application while it is written. */
export interface Mixed {
  /** The part of the reads that sent no SQL, once each query has been sent before. */
  readonly withoutSql: number
  readonly reads: number
  readonly writes: number
  /** Reads whose results differed from those of the database. */
  readonly different: number
}

/** So many reads come for each write. */
const READS_PER_WRITE = 20

interface Application {
  readonly corpus: Corpus
  readonly facts: SchemaFacts
  readonly rows: ReadonlyMap<string, readonly Row[]>
  /** How many are measured. As many come before. */
  readonly reads: number
}

interface Opened {
  readonly client: object
  /** Resolves when what has been loaded is stored. */
  drain(): Promise<void>
}

/**
 * Asks the call sites at random, each as often as the others and for the values of random rows, and writes a row of a random model after
 * every twentieth read.
 *
 * @param plain the client that has been extended, whose events name all statements
 */
export async function readWithWrites(
  plain: object,
  { client, drain }: Opened,
  { corpus, facts, reads, rows }: Application,
): Promise<Mixed> {
  const random = createRandom(`model-cache bench coverage, mixed ${corpus.name}`)
  const models = [...facts.models.values()].filter((model) => changeOf(model, rows, random))
  let statements = 0
  ;(plain as Observed).$on('query', () => void statements++)
  const { $uncached: database } = client as { readonly $uncached: object }
  let [withoutSql, writes, different] = [0, 0, 0]
  for (let n = 0; n < 2 * reads; n++) {
    const isMeasured = n >= reads
    const query = queryOf(random.pick(corpus.sites), rows, random)
    statements = 0
    const found = resultText(await ask(client, query), query)
    if (isMeasured && statements === 0) withoutSql++
    await drain()
    if (isMeasured) {
      const expected = resultText(await ask(database, query), query)
      if (found !== expected) {
        different++
        say(`${corpus.name}, mixed: ${query.model}.${query.action} ${JSON.stringify(query.args)} differs`)
      }
    }
    if (n % READS_PER_WRITE > 0) continue
    const model = random.pick(models)
    await ask(client, { model: model.name, action: 'updateMany', args: changeOf(model, rows, random)! })
    if (isMeasured) writes++
  }
  return { withoutSql: withoutSql / reads, reads, writes, different }
}

interface Observed {
  $on(event: 'query', listener: () => void): void
}

type Model = NonNullable<ReturnType<SchemaFacts['models']['get']>>

/** Gives a random row the value of another one in a field that belongs to no key; undefined for a model without such a field. */
function changeOf(model: Model, rows: Application['rows'], random: Random): Row | undefined {
  const { name, nullableKeys, primaryKey, relations, scalars, uniqueKeys } = model
  const key = primaryKey.length > 0 ? primaryKey : [...uniqueKeys.values()][0]!
  const inKeys = new Set([
    ...[...uniqueKeys.values(), ...nullableKeys.values()].flat(),
    ...[...relations.values()].flatMap(({ fields, keyHolder }) => (keyHolder === 'this' ? fields : [])),
    ...primaryKey,
  ])
  const fields = [...scalars].flatMap(([field, { isList, type }]) =>
    inKeys.has(field) || isList || type === 'Json' ? [] : [field],
  )
  if (fields.length === 0) return undefined
  const all = rows.get(name)!
  const [row, other] = [random.pick(all), random.pick(all)]
  const field = random.pick(fields)
  return { where: Object.fromEntries(key.map((each) => [each, row[each]])), data: { [field]: other[field] } }
}
