import { exactTexts } from './equality.js'
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
  { models }: SchemaFacts,
  model: string,
  idFields: readonly string[],
): Test | undefined {
  const scalars = models.get(model)?.scalars
  const tests: Test[] = []
  for (const field of idFields) {
    const scalar = scalars?.get(field)
    if (!scalar) return undefined
    tests.push(testOf(scalar))
  }
  if (tests.length === 1) return tests[0]!
  return (id) => tests.every((test, i) => test((id as Fields)[idFields[i]!]))
}

function canonicalOf(
  { models }: SchemaFacts,
  model: string,
  idFields: readonly string[],
): ((id: unknown) => unknown) | undefined {
  const scalars = models.get(model)?.scalars
  const known = idFields.map((field) => scalars?.get(field))
  if (known.some((scalar) => scalar && isLooseText(scalar))) return () => undefined
  const uuids = idFields.filter((_, i) => known[i]?.nativeType === 'Uuid')
  if (uuids.length === 0) return undefined
  if (idFields.length === 1) return toCanonicalUuid
  return (id) => {
    const canonical = Object.fromEntries(idFields.map((field) => [field, (id as Fields)[field]]))
    for (const field of uuids) canonical[field] = toCanonicalUuid(canonical[field])
    return canonical
  }
}

/** Whether the database takes several texts for equal. */
function isLooseText({ isCollated, nativeType, type }: ScalarColumn): boolean {
  return isCollated || (type === 'String' && !exactTexts.has(nativeType) && nativeType !== 'Uuid')
}

function testOf({ isCollated, nativeArguments, nativeType, type }: ScalarColumn): Test {
  if (type !== 'String') return () => true
  if (nativeType === 'Uuid') return (value) => isCanonicalUuid(String(value))
  const isExact = !isCollated && exactTexts.has(nativeType)
  const longest = Number(nativeArguments[0])
  // No row has a longer one, and so many characters are at least as many of the database's.
  if (isExact && longest > 0) return (value) => typeof value !== 'string' || value.length <= longest
  return () => isExact
}
