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
  /** Queries whose results differed from those of a plain client. */
  readonly different: number
}

export async function measure({ effort, use }: Run<{ readonly repeats: number }>) {
  const postgres = await use(startPostgres())
  const sites: SiteResult[] = []
  const lookups: { corpus: string; models: number; unique: number; lists: number }[] = []
  for (const corpus of corpora) {
    const measured = await measureCorpus(corpus, postgres.url, effort.repeats)
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
  return {
    sites,
    lookups,
    summary: {
      ids: shareOf(own.filter(isFind), 'ids'),
      unique: shareOf(own.filter(isFind), 'unique keys'),
      suggestions: shareOf(own.filter(isFind), 'suggestions'),
      allWithSuggestions: shareOf(own, 'suggestions'),
      different: sum(sites.map((each) => each.different)),
      queries: sites.length * levels.length * effort.repeats * 2,
    },
  }
}

async function measureCorpus(corpus: Corpus, server: string, repeats: number) {
  const schema = await readFile(corpus.schema, 'utf8')
  const Client = await generateClient(corpus.name, schema)
  const database = await createPostgresDatabase(server)
  const open = () => new Client({ adapter: database.adapter(4) }) as Connected
  const plain = open()
  const facts = schemaFactsOf(plain)
  const rows = rowsOf(facts, createRandom(`model-cache bench coverage ${corpus.name}`))
  await database.run(tablesOf(facts, schema))
  for (const [model, data] of rows) await ask(plain, { model, action: 'createMany', args: { data } })
  for (const text of joinsOf(facts)) await database.run(text)

  const run = async (level: Level, definitions: Definitions) => {
    const client = open()
    let outcome = ''
    const cached = await openCached(client, definitions, facts, (each) => void (outcome = each))
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
      const others = outcomes.filter((each) => each !== 'answered')
      results.push({ answered: 1 - others.length / outcomes.length, reason: others[0] ?? null, different })
    }
    const queries = clientQueriesOf(cached.client)!
    await cached.close()
    await client.$disconnect()
    say(`${corpus.name}, ${level}: ${percent(mean(results.map(({ answered }) => answered)))} answered`)
    return { queries, results }
  }
  const ids = await run('ids', idsOnly(facts))
  const keys = uniqueKeys(facts)
  const unique = await run('unique keys', keys)
  const suggested = withSuggestions(keys, unique.queries, corpus)
  const last = await run('suggestions', suggested)
  await plain.$disconnect()
  await database.drop()
  const sites = corpus.sites.map((site, i): SiteResult => {
    const [one, two, three] = [ids.results[i]!, unique.results[i]!, last.results[i]!]
    return {
      corpus: corpus.name,
      query: `${site[0]}(${shown(site)})`,
      answered: { ids: one.answered, 'unique keys': two.answered, suggestions: three.answered },
      reason: three.reason,
      different: one.different + two.different + three.different,
    }
  })
  return { sites, suggested }
}

interface Connected {
  $disconnect(): Promise<void>
}

/** The arguments of a call site, with `?` for values of rows. */
function shown([, args]: Corpus['sites'][number]): string {
  return JSON.stringify(args(() => '?')).replaceAll(/"([^"]*)"/g, '$1')
}

export type Measured = Awaited<ReturnType<typeof measure>>
