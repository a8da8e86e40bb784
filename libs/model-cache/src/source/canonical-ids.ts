import { type DataModel, describeModels, type Scalar } from './writes/data-model.js'
import { providerOf } from './writes/prisma-internals.js'

type Test = (value: unknown) => boolean
type Fields = Readonly<Record<string, unknown>>

/** What PostgreSQL takes for a UUID. */
const anyUuid = /^\{?(?:[\da-f]{4}-?){8}\}?$/i
const canonicalUuid = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

/** Databases that compare text as it is, unless its type says otherwise. */
const exactProviders = new Set(['postgresql', 'postgres', 'cockroachdb', 'sqlite'])
const exactTypes = new Set([undefined, 'Text', 'VarChar', 'String'])

/**
 * Whether an id of a model is spelled as the database stores it, so that no row can be created for it under another spelling.
 *
 * @returns undefined when the schema does not tell
 */
export function canonicalIdsOf(
  client: object,
  model: string,
  idFields: readonly string[],
): ((id: unknown) => boolean) | undefined {
  const scalars = describe(client)?.get(model)?.scalars
  const tests: Test[] = []
  for (const field of idFields) {
    const scalar = scalars?.get(field)
    if (!scalar) return undefined
    tests.push(testOf(scalar, providerOf(client)))
  }
  if (tests.length === 1) return tests[0]!
  return (id) => tests.every((test, i) => test((id as Fields)[idFields[i]!]))
}

/**
 * Finds the id as the database stores it. The result is undefined where only the database knows that, as of text that it compares
 * without case.
 *
 * @returns undefined when ids are taken as they are: they have one spelling, or the schema does not tell
 */
export function canonicalIdOf(
  client: object,
  model: string,
  idFields: readonly string[],
): ((id: unknown) => unknown) | undefined {
  const scalars = describe(client)?.get(model)?.scalars
  const known = idFields.map((field) => scalars?.get(field))
  const isLoose = known.some((scalar) => scalar && isLooseText(scalar, providerOf(client)))
  if (isLoose) return () => undefined
  const uuids = idFields.filter((_, i) => known[i]?.nativeType === 'Uuid')
  if (uuids.length === 0) return undefined
  if (idFields.length === 1) return canonicalUuidOf
  return (id) => {
    const canonical = Object.fromEntries(idFields.map((field) => [field, (id as Fields)[field]]))
    for (const field of uuids) canonical[field] = canonicalUuidOf(canonical[field])
    return canonical
  }
}

/** What is no UUID stays as it is: it is the id of no row. */
function canonicalUuidOf(value: unknown): unknown {
  if (typeof value !== 'string' || !anyUuid.test(value)) return value
  const digits = value.replaceAll(/[{}-]/g, '').toLowerCase()
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Of other databases the schema does not say how they compare text. */
function isLooseText({ type, nativeType }: Scalar, provider: string): boolean {
  const isKnown = exactTypes.has(nativeType) || nativeType === 'Uuid'
  return type === 'String' && !isKnown && exactProviders.has(provider)
}

function testOf({ type, nativeType }: Scalar, provider: string): Test {
  if (type !== 'String') return () => true
  if (nativeType === 'Uuid') return (value) => canonicalUuid.test(String(value))
  const isExact = exactProviders.has(provider) && exactTypes.has(nativeType)
  return () => isExact
}

const described = new WeakMap<object, DataModel>()

/** Undefined for a client that is not Prisma's, or whose schema cannot be read. */
function describe(client: object): DataModel | undefined {
  try {
    const models = described.get(client) ?? describeModels(client)
    described.set(client, models)
    return models
  } catch {
    return undefined
  }
}
