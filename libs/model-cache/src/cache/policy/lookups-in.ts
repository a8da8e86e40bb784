import { invalidOptionError } from '../../configuration-errors.js'
import { copyByValue } from '../../codec/codec.js'
import type { LookupDefinition } from './lookup-options.js'

type Kind = LookupDefinition['kind']
type Given = Readonly<Record<string, unknown>>

const optionsOf: Readonly<Record<Kind, readonly string[]>> = {
  unique: ['by', 'fold', 'caseSensitive'],
  list: ['by', 'through', 'where', 'orderBy', 'limit', 'maxRows', 'fold', 'caseSensitive'],
}
const defaultMaxRows = 1_000
/** One entry is one value in the store, whose rows are read together. */
const mostRows = 10_000

/**
 * Validates the lookups of a definition, as far as its options show.
 *
 * @param cache the name of the cache, for messages
 * @throws ConfigurationError
 */
export function lookupsIn(
  cache: string,
  options: { readonly unique?: unknown; readonly lists?: unknown },
): readonly LookupDefinition[] {
  const unique = entriesOf(`${cache}.unique`, options.unique ?? {}).map(([name, given]) => {
    const isShort = typeof given === 'string' || Array.isArray(given)
    return lookupOf('unique', `${cache}.unique.${name}`, { name, given: isShort ? { by: given } : given })
  })
  const lists = entriesOf(`${cache}.lists`, options.lists ?? {}).map(([name, given]) =>
    lookupOf('list', `${cache}.lists.${name}`, { name, given }),
  )
  const twice = lists.find(({ name }) => unique.some((other) => other.name === name))
  if (twice)
    throw invalidOptionError(`${cache}.lists.${twice.name}`, twice.name, 'a name that `unique` does not have')
  return Object.freeze([...unique, ...lists])
}

/** @param option the path of the lookup, for messages */
function lookupOf(
  kind: Kind,
  option: string,
  { name, given }: { readonly name: string; readonly given: unknown },
): LookupDefinition {
  // Names are part of keys and metric labels.
  if (!/^[A-Za-z]\w*$/.test(name))
    throw invalidOptionError(option, name, 'a name of letters, digits and "_", beginning with a letter')
  const known = optionsOf[kind]
  const unknown = entriesOf(option, given).find(([key]) => !known.includes(key))
  if (unknown) throw invalidOptionError(`${option}.${unknown[0]}`, unknown[1], `one of ${known.join(', ')}`)
  const { by, through, where = {}, orderBy = [], limit, maxRows, fold, caseSensitive } = given as Given
  entriesOf(`${option}.where`, where)
  const order: readonly unknown[] = Array.isArray(orderBy) ? orderBy : [orderBy]
  for (const member of order) entriesOf(`${option}.orderBy`, member)
  return Object.freeze({
    name,
    kind,
    ...keyOf(option, by, through),
    where: copyByValue(where as Given),
    orderBy: copyByValue(order as Given[]),
    limit: limit === undefined ? undefined : rowCount(`${option}.limit`, limit),
    maxRows: rowCount(`${option}.maxRows`, maxRows ?? defaultMaxRows),
    comparesText: textComparison(option, fold, caseSensitive),
  })
}

function keyOf(
  option: string,
  by: unknown,
  through: unknown,
): Pick<LookupDefinition, 'by' | 'isCompound' | 'through'> {
  if (through !== undefined) {
    if (typeof through !== 'string')
      throw invalidOptionError(`${option}.through`, through, 'the name of a relation')
    if (by !== undefined)
      throw invalidOptionError(`${option}.by`, by, 'to be left out, as the key is the id beyond `through`')
    return { by: [], isCompound: false, through }
  }
  const fields: unknown = typeof by === 'string' ? [by] : by
  const isNamed = Array.isArray(fields) && fields.every((field) => typeof field === 'string')
  if (!isNamed || fields.length === 0 || new Set(fields).size < fields.length)
    throw invalidOptionError(`${option}.by`, by, 'a field, or a list of several different ones')
  return { by: [...fields], isCompound: Array.isArray(by), through: undefined }
}

function textComparison(
  option: string,
  fold: unknown,
  caseSensitive: unknown,
): LookupDefinition['comparesText'] {
  if (fold !== undefined && fold !== 'case') throw invalidOptionError(`${option}.fold`, fold, "'case'")
  if (caseSensitive !== undefined && caseSensitive !== true)
    throw invalidOptionError(`${option}.caseSensitive`, caseSensitive, 'true')
  if (fold && caseSensitive)
    throw invalidOptionError(`${option}.fold`, fold, 'to stand without `caseSensitive`')
  return fold ? 'without case' : caseSensitive ? 'exactly' : undefined
}

function rowCount(option: string, value: unknown): number {
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= mostRows)
    return value as number
  throw invalidOptionError(option, value, `a whole number from 1 to ${mostRows}`)
}

/** The entries of an object literal. */
function entriesOf(option: string, value: unknown): [string, unknown][] {
  const prototype: unknown = typeof value === 'object' && value !== null && Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null)
    throw invalidOptionError(option, value, 'an object')
  return Object.entries(value as object)
}
