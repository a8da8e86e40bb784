import { comparesTextExactly, exactTexts } from './equality.js'
import type { ScalarColumn, SchemaFacts } from './schema-facts.js'
import type { Source } from './source.js'
import { isCanonicalUuid, toCanonicalUuid } from './uuid.js'

type Test = (value: unknown) => boolean
type Fields = Readonly<Record<string, unknown>>

/** How the database spells the ids of a model, as a {@link Source} says it. */
export function canonicalIds<Id>(
  facts: SchemaFacts,
  model: string,
  idFields: readonly string[],
): Pick<Source<unknown, Id>, 'isCanonical' | 'canonicalOf'> {
  return {
    isCanonical: isCanonicalOf(facts, model, idFields),
    canonicalOf: canonicalOf(facts, model, idFields) as ((id: Id) => Id | undefined) | undefined,
  }
}

function isCanonicalOf(
  { models, provider }: SchemaFacts,
  model: string,
  idFields: readonly string[],
): Test | undefined {
  const scalars = models.get(model)?.scalars
  const tests: Test[] = []
  for (const field of idFields) {
    const scalar = scalars?.get(field)
    if (!scalar) return undefined
    tests.push(testOf(scalar, provider))
  }
  if (tests.length === 1) return tests[0]!
  return (id) => tests.every((test, i) => test((id as Fields)[idFields[i]!]))
}

function canonicalOf(
  { models, provider }: SchemaFacts,
  model: string,
  idFields: readonly string[],
): ((id: unknown) => unknown) | undefined {
  const scalars = models.get(model)?.scalars
  const known = idFields.map((field) => scalars?.get(field))
  if (known.some((scalar) => scalar && isLooseText(scalar, provider))) return () => undefined
  const uuids = idFields.filter((_, i) => known[i]?.nativeType === 'Uuid')
  if (uuids.length === 0) return undefined
  if (idFields.length === 1) return toCanonicalUuid
  return (id) => {
    const canonical = Object.fromEntries(idFields.map((field) => [field, (id as Fields)[field]]))
    for (const field of uuids) canonical[field] = toCanonicalUuid(canonical[field])
    return canonical
  }
}

/** For other databases the schema does not say how they compare text. */
function isLooseText({ type, nativeType }: ScalarColumn, provider: string): boolean {
  const isKnown = exactTexts.has(nativeType) || nativeType === 'Uuid'
  return type === 'String' && !isKnown && comparesTextExactly(provider)
}

function testOf({ nativeArguments, nativeType, type }: ScalarColumn, provider: string): Test {
  if (type !== 'String') return () => true
  if (nativeType === 'Uuid') return (value) => isCanonicalUuid(String(value))
  const isExact = comparesTextExactly(provider) && exactTexts.has(nativeType)
  const longest = Number(nativeArguments[0])
  // No row has a longer one, and so many characters are at least as many of the database's.
  if (isExact && longest > 0) return (value) => typeof value !== 'string' || value.length <= longest
  return () => isExact
}
