import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import { bindDefinition } from 'model-cache/advanced'
import {
  type AnsweringCache,
  answeringLookupOf,
  BypassedQueries,
  type ClientQueries,
  describeSchemaText,
  isCertainAnswer,
  planRead,
  readModelsOf,
  readSettingsOf,
  reportedCacheOf,
  type SchemaFacts,
  Selections,
} from 'model-cache/internal'
import { suggestionRules } from './suggestion-rules.js'
import { type ModelCacheDefinition, modelCaches } from 'model-cache/prisma'
import type { SuggestedDefinition } from './describe-suggestions.js'
import { suggestDefinitions } from './suggest-definitions.js'
import { typedArguments } from './typed-arguments.js'
import { Random } from '../../../../test/integration/differential/random.ts'
import { readDialectNamed } from '../../../../test/integration/differential/reads/read-dialects.ts'
import { ReadGenerator } from '../../../../test/integration/differential/reads/random-read.ts'

const { defineModelCache } = modelCaches<never>() as unknown as {
  defineModelCache(model: string, options: object): ModelCacheDefinition<object, never>
}

/** Random queries are those of the differential test of reads. */
const FOLDER = join(import.meta.dirname, '../../../../test/integration/differential/reads')

/** The options of the definitions of an application, by model. */
type Definitions = ReadonlyMap<string, Readonly<Record<string, unknown>>>

const schemas = {
  postgresql: 'schema.prisma',
  mysql: 'derived/mysql.prisma',
  sqlite: 'derived/sqlite.prisma',
}

/** Random reads, as processes without definitions of these models count them. */
function logOf(facts: SchemaFacts, provider: keyof typeof schemas, seed: number): BypassedQueries {
  const generator = new ReadGenerator(new Random(seed), ['client'], readDialectNamed(provider, 'UTC'))
  const log = new BypassedQueries(facts.models)
  for (let n = 0; n < 300; n++) {
    const { args, chain, manner, model, operation } = generator.read()
    if (chain || manner || typeof args !== 'object' || args === null) continue
    log.add({ model, action: operation, reason: 'no_cache', args })
  }
  return log
}

/** The caches of an application, which have no rows. */
function cachesOf(definitions: Definitions, facts: SchemaFacts): readonly AnsweringCache[] {
  const none = (): Promise<never> => Promise.reject(new Error('There are no rows.'))
  return [...definitions].map(([model, options]) => {
    const bound = bindDefinition(defineModelCache(model, { ttl: '1m', ...options }), facts)
    const fields = Object.keys(bound.selection.select!)
    return {
      name: bound.name,
      model,
      idFields: bound.idFields,
      fields,
      exactFields: fields,
      lookups: bound.lookups.map((lookup) => answeringLookupOf(lookup, { findMany: none })),
      sharesRows: false,
      holdsRows: false,
      isFrom: () => true,
      get: none,
      getMany: none,
      countRead() {},
      countShadow() {},
      warn() {},
    }
  })
}

/** The report of an application with these caches, to which nobody has sent other queries. */
function reportOf(caches: readonly AnsweringCache[], log: BypassedQueries): ClientQueries {
  const byModel = Map.groupBy(log.all(), ({ model }) => model)
  const models = new Set([...byModel.keys(), ...caches.map(({ model }) => model)])
  return {
    composed: ['default'],
    takesAnyRow: false,
    models: [...models].map((model) => {
      const own = caches.filter((cache) => cache.model === model).map(reportedCacheOf)
      const bypassed = byModel.get(model) ?? []
      return { model, answered: 0, omitted: [], bypassed, ...(own.length > 0 && { caches: own }) }
    }),
  }
}

/** Parses the lines as TypeScript does, and puts them where the page says. */
function pasted(definitions: Definitions, suggested: readonly SuggestedDefinition[]): Definitions {
  const all = new Map(definitions)
  for (const { cache, lines, model } of suggested) {
    const text = lines.join('\n')
    const options =
      cache === null
        ? text.replace(/^export const \w+ = defineModelCache\('\w+', ([^]*)\)$/, '$1')
        : `{${text}}`
    const added = JSON.parse(String(runInNewContext(`JSON.stringify(${options})`))) as Record<string, object>
    const known = all.get(model) ?? {}
    all.set(model, {
      ...known,
      ...added,
      unique: { ...(known['unique'] as object), ...added['unique'] },
      lists: { ...(known['lists'] as object), ...added['lists'] },
    })
  }
  return all
}

/** How many of the counted queries the caches answer, as a process with them plans. */
function answeredBy(caches: readonly AnsweringCache[], facts: SchemaFacts, log: BypassedQueries): number {
  const models = readModelsOf(facts)
  const byModel = Map.groupBy(caches, ({ model }) => model)
  const planning = {
    isStrict: false,
    weighsCosts: false,
    takesAnyRow: false,
    composes: (strategy: unknown) =>
      strategy === undefined || (strategy === 'query' || strategy === 'join' ? false : undefined),
    modelOf: (model: string) =>
      byModel.has(model)
        ? {
            caches: byModel.get(model)!.flatMap((cache) => models.readable(cache) ?? []),
            relations: models.relationsOf(model),
            selections: new Selections({
              scalars: models.scalarsOf(model),
              relations: models.relationNamesOf(model),
              computed: undefined,
              omitted: undefined,
            }),
          }
        : undefined,
  }
  return log
    .all()
    .filter(({ action, args, model }) => {
      if (!args || !byModel.has(model)) return false
      const plan = planRead({ model, action, args: typedArguments(facts, model, args) }, planning)
      return typeof plan !== 'string' && isCertainAnswer(plan)
    })
    .reduce((sum, { count }) => sum + count, 0)
}

describe.each(Object.keys(schemas) as (keyof typeof schemas)[])('suggested definitions on %s', (provider) => {
  const facts = describeSchemaText(readFileSync(join(FOLDER, schemas[provider]), 'utf8'))
  const rules = suggestionRules(facts)

  it('answer what they say when they are pasted, and then no others are suggested', () => {
    let gained = 0
    for (let seed = 1; seed <= 5; seed++) {
      const log = logOf(facts, provider, seed)
      const random = new Random(seed)
      const before: Definitions = new Map(
        random
          .some([...facts.models.keys()], 50)
          .filter((model) => rules.idOf(model))
          .map((model) => [model, { id: rules.idOf(model)!.option }]),
      )
      const report = reportOf(cachesOf(before, facts), log)
      const { answeredThen, definitions, rest, total } = suggestDefinitions([report], facts)!.suggestions
      const then = cachesOf(pasted(before, definitions), facts)
      // What the application answers already was counted for another reason, and goes on to the database.
      const answered = answeredBy(cachesOf(before, facts), facts, log)
      expect([seed, answeredBy(then, facts, log)]).toEqual([seed, answered + answeredThen])
      expect(rest.reduce((sum, { queries }) => sum + queries, 0)).toBe(total - answeredThen)
      const again = suggestDefinitions([reportOf(then, log)], facts)!.suggestions
      expect([seed, again.answeredThen, again.definitions.flatMap(({ lines }) => lines)]).toEqual([
        seed,
        0,
        [],
      ])
      gained += answeredThen
    }
    expect(gained).toBeGreaterThan(200)
  })

  it('name models for results that `reads` takes, and then no others', () => {
    const log = logOf(facts, provider, 7)
    const report = reportOf([], log)
    const { joined, lines, models, queries } = suggestDefinitions([report], facts)!.suggestions.results
    const { results } = JSON.parse(String(runInNewContext(`JSON.stringify({${lines.join('\n')}})`))) as {
      readonly results: Readonly<Record<string, string>>
    }
    const kept = [...readSettingsOf({ results }, facts.models).results.keys()]
    expect(kept).toEqual(models.map(({ model }) => model))
    expect(kept.length).toBeGreaterThan(2)
    const again = suggestDefinitions([{ ...report, kept }], facts)!.suggestions.results
    expect(again).toEqual({ queries, joined, models: [], writtenOften: [], lines: [] })
  })
})
