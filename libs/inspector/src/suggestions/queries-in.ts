import { type ClientQueries, isPlain } from 'model-cache/internal'

/** Finds queries in JSON: those of one client, or of each root in an answer of the inspector. Empty for anything else. */
export function queriesIn(json: unknown): readonly ClientQueries[] {
  if (!isPlain(json)) return []
  if (Array.isArray(json['roots'])) return json['roots'].flatMap(queriesIn)
  return areQueries(json) ? [json] : []
}

type Given = Readonly<Record<string, unknown>>

function areQueries(json: Given): json is Given & ClientQueries {
  return areTexts(json['composed']) && areTexts(json['kept'] ?? []) && areAll(json['models'], isModel)
}

function isModel({ answered, bypassed, caches = [], model, omitted, results = [], written }: Given): boolean {
  return (
    typeof model === 'string' &&
    typeof answered === 'number' &&
    areTexts(omitted) &&
    areAll(caches, isCache) &&
    areAll(bypassed, isQuery) &&
    areAll(results, isResult) &&
    (written === undefined || (isPlain(written) && areNumbers(written['count'], written['agoMs'])))
  )
}

function isCache({ exactFields, fields, idFields, lookups, name }: Given): boolean {
  const isLookup = ({ by, orderBy, ...lookup }: Given): boolean =>
    typeof lookup['name'] === 'string' && areTexts(by) && areAll(orderBy, () => true)
  return (
    typeof name === 'string' && [exactFields, fields, idFields].every(areTexts) && areAll(lookups, isLookup)
  )
}

function isQuery({ action, args = {}, count, model, reason }: Given): boolean {
  const areTexts = [action, model, reason].every((text) => typeof text === 'string')
  return areTexts && typeof count === 'number' && isPlain(args)
}

function isResult({
  action,
  args = {},
  count,
  left,
  length,
  loadedAgoMs,
  loads,
  model,
  models,
  refused,
}: Given): boolean {
  const areKnown = [action, model].every((text) => typeof text === 'string') && areTexts(models)
  return areKnown && isPlain(args) && areNumbers(count, loads, left, refused, length ?? 0, loadedAgoMs ?? 0)
}

const areNumbers = (...values: readonly unknown[]): boolean =>
  values.every((value) => typeof value === 'number')

function areAll(values: unknown, check: (value: Given) => boolean): boolean {
  return Array.isArray(values) && values.every((value) => isPlain(value) && check(value))
}

function areTexts(values: unknown): boolean {
  return Array.isArray(values) && values.every((value) => typeof value === 'string')
}
