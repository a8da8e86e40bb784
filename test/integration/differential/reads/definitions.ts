/** The definitions whose caches answer reads. */
import { type ModelCacheDefinition, modelCaches } from 'model-cache'
import type { Lookups } from './lookups.ts'
import type { Model } from './models.ts'

// eslint-disable-next-line typescript/no-explicit-any -- the models of each database
const { defineModelCache } = modelCaches<any>()

const options: Readonly<Record<string, object>> = {
  Person: { omit: { secret: true } },
  Article: { rows: 'shared' },
  Tag: { l1: {} },
  Topic: {},
  TopicWord: { l1: {} },
  Verdict: {},
  Review: { l1: {} },
  Pass: { notFoundTtl: 0 },
  Seat: { l1: {}, rows: 'shared' },
  Word: { id: 'text_mood' },
  Code: {},
  Team: { l1: {} },
  Rate: {},
  Fan: {},
  Name: { l1: {} },
  Everything: { l1: {} },
  Maybe: { rows: 'shared' },
  Lists: {},
  Unreadable: {},
  Refused: {},
}

export function definitionsOf(
  models: Readonly<Record<string, Model>>,
  lookups: Readonly<Record<string, Lookups>>,
): readonly ModelCacheDefinition<object, never>[] {
  const define = defineModelCache as unknown as (
    model: string,
    options: object,
  ) => ModelCacheDefinition<object, never>
  return Object.entries(options)
    .filter(([model]) => model in models)
    .map(([model, own]) => define(model, { ttl: '1h', ...own, ...lookups[model] }))
}
