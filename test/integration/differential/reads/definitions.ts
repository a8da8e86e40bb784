/** The definitions whose caches answer reads. */
import { type Type, type } from 'arktype'
import { bytes, decimal, defineModelCache, json, type ModelCacheDefinition } from 'model-cache'

import { type Field, models } from './models.ts'

const arkTypes: Readonly<Record<string, Type>> = {
  Int: type('number.integer') as never,
  Float: type('number') as never,
  BigInt: type('bigint') as never,
  String: type('string') as never,
  Boolean: type('boolean') as never,
  DateTime: type('Date') as never,
  Decimal: decimal as never,
  Bytes: bytes as never,
  Json: json as never,
  Mood: type("'CALM' | 'WILD' | 'GREY'") as never,
}

function typeOf({ type: fieldType, isList, isNullable }: Field): Type {
  const value = arkTypes[fieldType]!
  if (isList) return value.array()
  return isNullable ? value.or('null') : value
}

interface Settings {
  readonly name?: string
  readonly l1?: object
  readonly rows?: 'copies' | 'shared'
  readonly notFoundTtl?: number
}

function define(
  model: string,
  id: string | readonly string[],
  settings: Settings = {},
): ModelCacheDefinition<object, never> {
  const fields = Object.values(models[model]!.fields).filter(({ isOmitted }) => !isOmitted)
  const schema = type(Object.fromEntries(fields.map((field) => [field.name, typeOf(field)])) as never)
  return defineModelCache<never>()({
    model,
    schema: schema as never,
    id: id as never,
    ttl: '1h',
    ...settings,
  } as never) as never
}

export const definitions: readonly ModelCacheDefinition<object, never>[] = [
  define('Person', 'id'),
  define('Article', 'id', { rows: 'shared' }),
  define('Tag', 'name', { l1: {} }),
  define('Review', ['articleId', 'personId'], { l1: {} }),
  define('Pass', 'number', { notFoundTtl: 0 }),
  define('Seat', ['hall', 'row', 'place'], { l1: {}, rows: 'shared' }),
  define('Word', ['text', 'mood']),
  define('Code', 'code'),
  define('Everything', 'id', { l1: {} }),
  define('Maybe', 'id', { rows: 'shared' }),
  define('Lists', 'id'),
  define('Unreadable', 'id'),
]
