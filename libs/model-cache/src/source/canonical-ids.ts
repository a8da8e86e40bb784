import { type DataModel, describeModels, type Scalar } from './writes/data-model.js'
import { providerOf } from './writes/prisma-internals.js'

type Test = (value: unknown) => boolean

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
  return (id) => tests.every((test, i) => test((id as Readonly<Record<string, unknown>>)[idFields[i]!]))
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
