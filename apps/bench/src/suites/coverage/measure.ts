import { readFile } from 'node:fs/promises'
import { clientQueriesOf, schemaFactsOf } from 'model-cache/advanced'
import { createRandom } from '#prisma/demo/random.js'
import { createPostgresDatabase, startPostgres } from '../../../../../test/support/postgres-server.ts'
import type { Run } from '../../harness/comparison.ts'
import { percent } from '../../harness/format.ts'
import { say } from '../../harness/progress.ts'
import { mean, sum } from '../../harness/statistics.ts'
import { ask, queryOf, resultText } from './ask.ts'
import { corpora, type Corpus } from './corpora.ts'
import { generateClient } from './generate-client.ts'
import { type Definitions, idsOnly, openCached, uniqueKeys, withSuggestions } from './levels.ts'
import { type Mixed, readWithWrites } from './mixed.ts'
import { rowsOf } from './rows.ts'
import { isFind, type Level, levels, shareOf } from './shares.ts'
import { joinsOf, tablesOf } from './tables.ts'

/** What became of the queries of a call site. */
export interface SiteResult {
  readonly corpus: string
  readonly query: string
  /** The part of its queries that caches answered, 0 to 1, by level. */
  readonly answered: Readonly<Record<Level, number>>
  /** Why the database answers some even with suggestions; null if it answers none. */
  readonly reason: string | null
  /** Why the database answers some even with results. */
  readonly reasonWithResults: string | null
  /** Queries whose results differed from those of a plain client. */
  readonly different: number
}

export async function measure({ effort, use }: Run<{ readonly repeats: number; readonly reads: number }>) {
  const postgres = await use(startPostgres())
  const sites: SiteResult[] = []
  const mixes: (Mixed & { readonly corpus: string; readonly results: string })[] = []
  const lookups: { corpus: string; models: number; unique: number; lists: number }[] = []
  for (const corpus of corpora) {
    const measured = await measureCorpus(corpus, postgres.url, effort)
    mixes.push(...measured.mixes.map((mixed) => ({ corpus: corpus.name, ...mixed })))
    sites.push(...measured.sites)
    const options = [...measured.suggested.values()]
    const count = (option: 'unique' | 'lists'): number =>
      sum(options.map((each) => Object.keys(each[option] ?? {}).length))
    lookups.push({
      corpus: corpus.name,
      models: options.length,
      unique: count('unique'),
      lists: count('lists'),
    })
  }
  const own = sites.filter(({ corpus }) => corpus !== 'demo')
  const withoutSqlOf = (kept: string): number =>
    mean(
      mixes.flatMap(({ corpus, results, withoutSql }) =>
        corpus !== 'demo' && results === kept ? [withoutSql] : [],
      ),
    )
  return {
    sites,
    lookups,
    mixes,
    summary: {
      ids: shareOf(own.filter(isFind), 'ids'),
      unique: shareOf(own.filter(isFind), 'unique keys'),
      suggestions: shareOf(own.filter(isFind), 'suggestions'),
      allWithSuggestions: shareOf(own, 'suggestions'),
      allWithResults: shareOf(own, 'results'),
      withoutSql: withoutSqlOf('by model'),
      withoutSqlByKeys: withoutSqlOf('by foreign keys'),
      different: sum([...sites, ...mixes].map((each) => each.different)),
      queries: sites.length * levels.length * effort.repeats * 2 + mixes.length * effort.reads,
    },
  }
}

async function measureCorpus(
  corpus: Corpus,
  server: string,
  { reads, repeats }: { readonly repeats: number; readonly reads: number },
) {
  const schema = await readFile(corpus.schema, 'utf8')
  const Client = await generateClient(corpus.name, schema)
  const database = await createPostgresDatabase(server)
  const open = () =>
    new Client({ adapter: database.adapter(4), log: [{ emit: 'event', level: 'query' }] }) as Connected
  const plain = open()
  const facts = schemaFactsOf(plain)
  const rows = rowsOf(facts, createRandom(`model-cache bench coverage ${corpus.name}`))
  await database.run(tablesOf(facts, schema))
  for (const [model, data] of rows) await ask(plain, { model, action: 'createMany', args: { data } })
  for (const text of joinsOf(facts)) await database.run(text)
  // Otherwise the server does so in the middle, and then may give a query without an order another row than before.
  await database.run('ANALYZE')

  const run = async (level: Level, definitions: Definitions) => {
    const keepsResults = level === 'results'
    const client = open()
    let outcome = ''
    const kept = keepsResults ? 'results' : 'no results'
    const cached = await openCached(client, definitions, facts, (each) => void (outcome = each), kept)
    const results = []
    for (const [i, site] of corpus.sites.entries()) {
      const random = createRandom(`model-cache bench coverage, call site ${i}`)
      const outcomes: string[] = []
      let different = 0
      for (let n = 0; n < repeats; n++) {
        const query = queryOf(site, rows, random)
        const expected = resultText(await ask(plain, query), query)
        // Loaded from the database, then read from the store.
        for (let again = 0; again < 2; again++) {
          const found = resultText(await ask(cached.client, query), query)
          outcomes.push(outcome)
          if (found === expected) continue
          different++
          say(
            `${corpus.name}, ${level}: ${site[0]} ${JSON.stringify(query.args)}: ${found} instead of ${expected}`,
          )
        }
      }
      const others = outcomes.filter((each) => each !== 'answered' && each !== 'result')
      results.push({ answered: 1 - others.length / outcomes.length, reason: others[0] ?? null, different })
    }
    const queries = clientQueriesOf(cached.client)!
    const mixed = keepsResults ? await readWithWrites(client, cached, { corpus, facts, rows, reads }) : null
    await cached.close()
    await client.$disconnect()
    say(`${corpus.name}, ${level}: ${percent(mean(results.map(({ answered }) => answered)))} answered`)
    return { queries, results, mixed }
  }
  const ids = await run('ids', idsOnly(facts))
  const keys = uniqueKeys(facts)
  const unique = await run('unique keys', keys)
  const suggested = withSuggestions(keys, unique.queries, corpus)
  const lists = await run('suggestions', suggested)
  const last = await run('results', suggested)
  const byKeys = open()
  const cachedByKeys = await openCached(byKeys, suggested, facts, () => {}, 'results by keys')
  const mixedByKeys = await readWithWrites(byKeys, cachedByKeys, { corpus, facts, rows, reads })
  await cachedByKeys.close()
  await byKeys.$disconnect()
  await plain.$disconnect()
  await database.drop()
  const sites = corpus.sites.map((site, i): SiteResult => {
    const [one, two, three, four] = [ids, unique, lists, last].map(({ results }) => results[i]!) as [
      Answered,
      Answered,
      Answered,
      Answered,
    ]
    return {
      corpus: corpus.name,
      query: `${site[0]}(${shown(site)})`,
      answered: {
        ids: one.answered,
        'unique keys': two.answered,
        suggestions: three.answered,
        results: four.answered,
      },
      reason: three.reason,
      reasonWithResults: four.reason,
      different: one.different + two.different + three.different + four.different,
    }
  })
  const mixes = [
    { results: 'by model', ...last.mixed! },
    { results: 'by foreign keys', ...mixedByKeys },
  ]
  return { sites, suggested, mixes }
}

interface Answered {
  readonly answered: number
  readonly reason: string | null
  readonly different: number
}

interface Connected {
  $disconnect(): Promise<void>
}

/** The arguments of a call site, with `?` for values of rows. */
function shown([, args]: Corpus['sites'][number]): string {
  return JSON.stringify(args(() => '?')).replaceAll(/"([^"]*)"/g, '$1')
}

export type Measured = Awaited<ReturnType<typeof measure>>
