import {
  type CatalogueListing,
  createKeySpace,
  type DescribedCache,
  epochsOf,
  explainStored,
  isLong,
  markerEpoch,
  markerStart,
  modelKeys,
  type Models,
  modelPrintOf,
  modelsRead,
  openStored,
  registerIn,
  registerNameOf,
  resultDigestOf,
  resultHeadOf,
  resultPrintOf,
  resultTextOf,
  returnsKeptOut,
  type RowId,
  type SchemaFacts,
  scopesRead,
  sentFor,
  type ValkeyNodes,
} from 'model-cache/internal'

/** Keys under which a result is looked for: their number grows with each field of each model by whose values results end. */
const maxKeys = 10_000
/** Keys that are read at once. */
const keysAtOnce = 100

/** What the store has of the result of a query. */
export type ExplainedResult =
  | {
      readonly key: string
      readonly stored: ReturnType<typeof explainStored>
      /** Why a result that is invalidated does not count: registers that have changed since, such as `Item.results`. */
      readonly endedBy: readonly string[]
    }
  | { readonly unknown: Unknown }

/**
 * Why it cannot be said: results of encrypted or compressed models, processes of another schema or whose client omits fields, those of
 * another version of the library; or the query is one that no result answers, or there are more keys than are looked up.
 */
type Unknown = 'form' | 'schema' | 'version' | 'kept_out' | 'arguments' | 'keys'

interface Place {
  readonly nodes: ValkeyNodes
  readonly namespace: string
  readonly listed: CatalogueListing
}

interface ReadQuery {
  readonly model: string
  readonly action: string
  readonly args: Readonly<Record<string, unknown>>
}

/** What ends a result: the register of a model, or the marker of rows with a value. */
interface Part {
  readonly name: string
  /** Undefined if there is none now. */
  readonly epoch: string | undefined
}

/**
 * Says what the store has of the result of a query that a client sends which omits no fields and has no computed ones, without any effect.
 *
 * @param read the models that the query reads, all of whose results are kept
 * @throws StoreError
 */
export async function explainResult(
  place: Place,
  facts: SchemaFacts,
  query: ReadQuery,
  read: readonly string[],
): Promise<ExplainedResult> {
  const { caches } = place.listed
  const names = read.toSorted()
  const models = names.map((model) => ({ model, print: modelPrintOf(facts, model) }))
  const unknown = models.map((each) => unknownOf(caches, each)).find((why) => why !== undefined)
  if (unknown) return { unknown }
  const found = textOf(facts.models, query)
  if ('refusal' in found) return { unknown: found.refusal }
  const digest = resultDigestOf(found.text)
  // Which fields end results, and in which order, is part of the key: so it is known of what is stored, and of nothing else.
  const orders = models.map((each) => firstOf(ordersOf(scopeFieldsIn(caches, each)), maxKeys + 1))
  const choices = firstOf(combinationsOf(orders), maxKeys + 1)
  const keys = keysOf(place.listed, place.namespace, registerNameOf(query.model))
  const candidates = choices.slice(0, maxKeys).map((by): Candidate => {
    const printed = models.map(({ model, print }, i) => ({ model, print, by: by[i]! }))
    const fingerprint = resultPrintOf({ own: '', models: printed, form: undefined })
    return { models: printed, fingerprint, key: keys.guardedKeyOf(digest, fingerprint).key }
  })
  const kept = await firstKept(place, candidates)
  if (kept.value === null && choices.length > maxKeys) return { unknown: 'keys' }
  return explainKept(place, facts, query, digest, kept)
}

/** Returns the first of the keys that has a value, or the first one of all. @throws StoreError */
async function firstKept({ nodes }: Place, candidates: readonly Candidate[]): Promise<Kept> {
  for (let start = 0; start < candidates.length; start += keysAtOnce) {
    const next = candidates.slice(start, start + keysAtOnce)
    const read = next.map(async (each) => ({ ...each, value: await nodes.nodeOf(each.key).get(each.key) }))
    const kept = (await Promise.all(read)).find(({ value }) => value !== null)
    if (kept) return kept
  }
  return { ...candidates[0]!, value: null }
}

/** Returns the text of a query of a client that omits nothing and has no computed fields, or why no result answers it. */
function textOf(
  models: Models,
  query: ReadQuery,
): { readonly text: string } | { readonly refusal: 'kept_out' | 'arguments' } {
  const { args } = query
  if (returnsKeptOut({ models, omittedOf: () => undefined, neededOf: () => [] }, query))
    return { refusal: 'kept_out' }
  const omitted = [...modelsRead(models, query)].map(() => null)
  const isSendable = sentFor(models, { ...query, dataPath: [] }, args) !== undefined
  const text = isSendable ? resultTextOf(resultHeadOf(query, [], omitted), [], args) : undefined
  return text === undefined ? { refusal: 'arguments' } : { text }
}

interface PrintedModel {
  readonly model: string
  readonly print: string
  readonly by: readonly string[]
}

/** A key that the result may have. */
interface Candidate {
  readonly models: readonly PrintedModel[]
  readonly fingerprint: string
  readonly key: string
}

interface Kept extends Candidate {
  /** Null if the store has nothing under the key. */
  readonly value: Buffer | null
}

async function explainKept(
  place: Place,
  facts: SchemaFacts,
  query: ReadQuery,
  digest: string,
  { fingerprint, key, models, value }: Kept,
): Promise<Extract<ExplainedResult, { readonly key: string }>> {
  const parts = value ? await partsOf(place, facts, query, models, markIn(value, place.listed.epoch)) : []
  const epochs = parts.map(({ epoch }) => epoch)
  const epoch = epochs.includes(undefined) ? null : epochs.join('.')
  const stored = explainStored(open(fingerprint, digest, value, epoch))
  const isEnded = !stored.isHit && stored.reason === 'invalidated'
  const carried = value ? epochIn(value) : ''
  const ended = parts.filter(({ epoch: now }) => now === undefined || !carried.includes(now))
  return { key, stored, endedBy: isEnded ? ended.map(({ name }) => name) : [] }
}

/** Returns the parts of a result, in the order in which it carries their epochs. */
async function partsOf(
  place: Place,
  facts: SchemaFacts,
  query: ReadQuery,
  models: readonly PrintedModel[],
  mark: string,
): Promise<readonly Part[]> {
  const fields = new Map(models.map(({ by, model }) => [model, by]))
  const scopes = scopesRead(facts.models, fields, query)
  const parts: Part[] = []
  for (const { model, print } of models) {
    const markers = scopes.get(model)?.map(({ field, value }) => {
      const name = registerNameOf(model, field)
      return { name, rowId: rowIdOf(place, name, value) }
    })
    if (!markers || markers.some(({ rowId }) => rowId === undefined)) {
      const name = registerNameOf(model)
      parts.push({ name, epoch: await epochOf(place, name, mark) })
      continue
    }
    const byText = new Map(markers.map((marker) => [`${marker.name}=${marker.rowId}`, marker]))
    for (const text of [...byText.keys()].toSorted()) {
      const { name, rowId } = byText.get(text)!
      parts.push({ name: text, epoch: await markerOf(place, name, rowId!, print) })
    }
  }
  return parts
}

/** What a register says now; undefined while it is fenced, and if there is none. @param which of its epochs */
async function epochOf(
  { listed, namespace, nodes }: Place,
  name: string,
  mark: string,
  which: 'epoch' | 'existence' = 'epoch',
): Promise<string | undefined> {
  const { registerKey } = modelKeys(namespace, name)
  const text = (await nodes.nodeOf(registerKey).call('GET', registerKey)) as string | null
  const register = registerIn(text ?? '')
  if (!register || register.isFenced || listed.epoch === undefined) return undefined
  return epochsOf(register, listed.epoch, mark)[which] ?? undefined
}

/** What stands for the rows with a value now; undefined if they have been written since a result was last loaded of them. */
async function markerOf(
  place: Place,
  name: string,
  rowId: RowId,
  fingerprint: string,
): Promise<string | undefined> {
  const { listed, namespace, nodes } = place
  const { key } = keysOf(listed, namespace, name).guardedKeyOf(rowId, fingerprint)
  const value = await nodes.nodeOf(key).get(key)
  if (!value) return undefined
  const existence = await epochOf(place, name, markIn(value, listed.epoch), 'existence')
  return existence === undefined ? undefined : markerEpoch(value, markerStart(fingerprint, existence))
}

/** Undefined for a value that no row has, or that has no marker as it is too long. */
function rowIdOf({ listed, namespace }: Place, name: string, value: unknown): RowId | undefined {
  try {
    const rowId = keysOf(listed, namespace, name).toRowId(value as never)
    return isLong(rowId) ? undefined : rowId
  } catch {
    return undefined
  }
}

function keysOf({ caches }: CatalogueListing, namespace: string, name: string) {
  const { description } = caches.find((cache) => cache.name === name)!
  return createKeySpace<object, unknown>({ ...description!, namespace, fingerprint: '' })
}

/** Opens an envelope; what is in it is not shown. */
function open(fingerprint: string, rowId: RowId, value: Buffer | null, epoch: string | null) {
  const model = { codec: { fingerprint, decodeUtf8: () => ({}) }, keys: { isRow: () => true } }
  return openStored(model, rowId, value, { epoch, existence: null })
}

/** The epochs that a value carries. */
const epochIn = (value: Buffer): string => /^[^;]*;([^;]*);/.exec(value.toString('latin1'))?.[1] ?? ''

/** The mark of the database that a value was loaded from, which is that of no reader here; `''` for none. */
function markIn(value: Buffer, catalogueEpoch: string | undefined): string {
  const [, after = ''] = epochIn(value).split(`.${catalogueEpoch}`)
  return /^\.[0-9a-f]{12}(?=\.|$)/.exec(after)?.[0] ?? ''
}

function unknownOf(
  caches: readonly DescribedCache[],
  { model, print }: Pick<PrintedModel, 'model' | 'print'>,
): Unknown | undefined {
  const versions = caches.filter(({ name }) => name === registerNameOf(model))
  if (versions.some(({ description }) => !description)) return 'version'
  if (versions.some(({ description }) => description!.atRest)) return 'form'
  return versions.some(({ fingerprint }) => fingerprint === print) ? undefined : 'schema'
}

/** The fields by whose values results of a model end, in some process. */
function scopeFieldsIn(
  caches: readonly DescribedCache[],
  { model, print }: Pick<PrintedModel, 'model' | 'print'>,
): readonly string[] {
  const start = registerNameOf(model, '')
  const fields = caches.flatMap(({ description, fingerprint, name }) =>
    name.startsWith(start) && fingerprint === print && description ? [name.slice(start.length)] : [],
  )
  return [...new Set(fields)]
}

/** All of the fields in any order first, and then fewer of them: a deployment may add one. */
function* ordersOf(fields: readonly string[]): Generator<readonly string[]> {
  for (let count = fields.length; count >= 0; count--) yield* ordersOfSome(fields, count)
}

function* ordersOfSome(fields: readonly string[], count: number): Generator<readonly string[]> {
  if (count === 0) {
    yield []
    return
  }
  for (const field of fields) {
    const left = fields.filter((each) => each !== field)
    for (const others of ordersOfSome(left, count - 1)) yield [field, ...others]
  }
}

/** One of each of the choices, the last of which changes first. */
function* combinationsOf<T>([choices, ...others]: readonly (readonly T[])[]): Generator<readonly T[]> {
  if (!choices) {
    yield []
    return
  }
  for (const one of choices) {
    for (const chosen of combinationsOf(others)) yield [one, ...chosen]
  }
}

function firstOf<T>(values: Iterable<T>, count: number): readonly T[] {
  const first: T[] = []
  for (const value of values) {
    if (first.push(value) === count) break
  }
  return first
}
