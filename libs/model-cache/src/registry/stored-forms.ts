import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import {
  type AtRest,
  describeForm,
  type DescribedCache,
  type DescribedForm,
  hasZstd,
} from '../protocol/index.js'
import type { SchemaFacts } from '../source/schema-facts.js'

/** @throws ConfigurationError if `atRest.models` names a model that neither the client nor a definition has */
export function verifyAtRest(
  atRest: AtRest,
  definitions: readonly AnyModelCacheDefinition[],
  facts: SchemaFacts | undefined,
): void {
  const visible = [...(facts?.models.values() ?? [])].filter(({ isVisible }) => isVisible)
  const known = new Set(
    [...visible, ...definitions.map(({ model }) => ({ name: model }))].map(({ name }) => name),
  )
  // A process without a client and caches knows none.
  if (known.size > 0) atRest.verifyModels(known)
}

const clear = 'in clear text'

/** What to know of caches that other processes of the namespace store in another form; undefined if there are none. */
export function otherFormsWarning(
  caches: readonly DescribedCache[],
  own: ReadonlyMap<string, DescribedForm | undefined>,
): string | undefined {
  const others = caches.flatMap(({ description, name }) => {
    if (!description || !own.has(name)) return []
    const [here, there] = [describeForm(own.get(name)) || clear, describeForm(description.atRest) || clear]
    return here === there ? [] : [`${name} (${here} here, ${there} there)`]
  })
  if (others.length === 0) return undefined
  return (
    `other processes of this namespace store caches in another form: ${[...new Set(others)].toSorted().join(', ')}. Neither reads what the other ` +
    'has stored. This is so while a deployment changes the form, and until what the old processes have stored expires; otherwise give all ' +
    'processes the same `atRest` and `compress`'
  )
}

/** @param caches that compress. Undefined if there are none, or this Node can. */
export function noZstdWarning(caches: readonly string[], canCompress = hasZstd): string | undefined {
  if (canCompress || caches.length === 0) return undefined
  return (
    `this Node (${process.version}) has no zstd, so \`compress\` has no effect: ${caches.join(', ')}. Rows are stored as they are. Node 22.15, ` +
    '23.8 and later versions have it'
  )
}
