import {
  type AtRest,
  type CacheDescription,
  type DescribedCache,
  fieldsOfText,
  type HashId,
  type LookupDescription,
  type TypedField,
  typedForm,
} from 'model-cache/internal'
import { UsageError } from './command.js'

/** The caches of a name, one for each schema version. @throws UsageError, which names those that there are */
export function cachesNamed(
  caches: readonly DescribedCache[],
  name: string,
  namespace: string,
): readonly DescribedCache[] {
  const found = caches.filter((cache) => cache.name === name)
  if (found.length > 0) return found
  const known = [...new Set(caches.map((cache) => cache.name))].toSorted().join(', ')
  throw new UsageError(
    known === ''
      ? `The namespace "${namespace}" has no caches. Start the application first, or name its namespace with --namespace.`
      : `The namespace "${namespace}" has no cache "${name}"; it has ${known}.`,
  )
}

/**
 * What stands for ids in the keys of a cache; undefined for these themselves.
 *
 * @throws UsageError if the keys that were given do not include the one that hashes them
 */
export function hashIdOf(
  { atRest: form, name }: CacheDescription,
  atRest: AtRest | undefined,
): HashId | undefined {
  const hashedBy = form?.hashedBy
  if (hashedBy === undefined) return undefined
  const hashId = atRest?.hashIdOf(hashedBy)
  if (hashId) return hashId
  throw new UsageError(
    `Ids in keys of "${name}" are hashed with the key "${hashedBy}". Name a file that has it with --keys, or MODEL_CACHE_KEYS.`,
  )
}

/** The lookup of a cache, if this version of the cache has it. */
export function lookupNamed({ lookups }: CacheDescription, name: string): LookupDescription | undefined {
  return lookups.find((lookup) => lookup.name === name)
}

/**
 * The versions of a cache that have a lookup: those before a deployment may lack it. A version that another one of the library has
 * described may have any.
 *
 * @throws UsageError, which names the lookups that there are
 */
export function cachesWithLookup(caches: readonly DescribedCache[], name: string): readonly DescribedCache[] {
  const found = caches.filter(({ description }) => !description || lookupNamed(description, name))
  if (found.length > 0) return found
  const lookups = caches.flatMap(({ description }) => description?.lookups ?? [])
  const known = [...new Set(lookups.map((lookup) => lookup.name))].join(', ')
  throw new UsageError(`The cache "${caches[0]!.name}" has no lookup "${name}"; it has ${known || 'none'}.`)
}

/**
 * Reads an id, or the key of a lookup, as it is typed: the value of one field; of several, JSON or `orgId=7,slug=tea`.
 *
 * @throws UsageError
 */
export function typedFields(
  fields: readonly TypedField[],
  text: string,
  what: string,
): Readonly<Record<string, unknown>> {
  const isPairs = fields.length > 1 && !text.trimStart().startsWith('{')
  const values = fieldsOfText(fields, isPairs ? JSON.stringify(pairsIn(fields, text)) : text)
  if (values) return values
  const form =
    fields.length > 1
      ? `${typedForm(fields)}, or ${fields.map(({ name }) => `${name}=…`).join(',')}`
      : typedForm(fields)
  throw new UsageError(`${what} is ${JSON.stringify(text)}; expected ${form}.`)
}

/** A value may have commas and blanks itself: it ends where another field begins. */
function pairsIn(fields: readonly TypedField[], text: string): Record<string, string> {
  const separator = new RegExp(String.raw`[,\s]+(?=(?:${fields.map(({ name }) => name).join('|')})=)`)
  const pairs = text.split(separator).map((pair): [string, string] => {
    const end = pair.indexOf('=')
    return [pair.slice(0, Math.max(0, end)), pair.slice(end + 1)]
  })
  return Object.fromEntries(pairs)
}
