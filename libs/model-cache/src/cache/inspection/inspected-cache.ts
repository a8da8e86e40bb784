import {
  type CacheDescription,
  type CacheListing,
  fieldsOfText,
  type IdField,
  type KeyField,
  type RowId,
  textOfRowId,
  typedForm,
} from '../../protocol/index.js'
import { InvalidIdError } from '../../errors.js'
import type { CacheContext } from '../context.js'
import type { CachedLookup } from '../lookups/cached-lookup.js'
import type { Lookups } from '../lookups/lookups.js'
import type { L1 } from '../read/l1.js'
import {
  type Examination,
  examine,
  type Explanation,
  explainLocally,
  type LocalExplanation,
} from './explanation.js'
import { readManyStored, type StoredValue } from './stored-value.js'

/** The state of a cache in this process, as of the last read. Its epoch is null as well if the store does not answer. */
export interface CacheStatus extends Pick<
  Explanation,
  'fingerprint' | 'fingerprints' | 'epoch' | 'mayFill' | 'mayFillInMs'
> {
  /** Rows whose invalidation the store has not taken. */
  readonly pending: number | 'all'
  /** What L1 holds; undefined without `l1`. */
  readonly l1: { readonly rows: number; readonly bytes: number; readonly isTrusted: boolean } | undefined
  /** Why its codec failed its proof, so that no row is stored; undefined if it has not. */
  readonly unproven: string | undefined
}

/** A cache as people look at it, who type ids and keys. It reads and compares, and changes nothing. */
export class InspectedCache<Row, Id> {
  readonly lookups: Lookups<Row, Id>
  readonly context: CacheContext<Row, Id>
  readonly l1: L1<Row> | undefined
  readonly #unproven: () => string | undefined
  readonly #listing: CacheListing

  /** @param unproven why its codec failed its proof; undefined if it has not */
  constructor(
    listing: CacheListing,
    lookups: Lookups<Row, Id>,
    context: CacheContext<Row, Id>,
    l1: L1<Row> | undefined,
    unproven: () => string | undefined,
  ) {
    this.#listing = listing
    this.lookups = lookups
    this.context = context
    this.l1 = l1
    this.#unproven = unproven
  }

  /** Where the cache is listed in the catalogue, and how its ids and keys are made. */
  get description(): CacheDescription {
    return this.#listing.description
  }

  /** See {@link DescribedCache.layout}. */
  get layout(): string {
    return this.#listing.layout
  }

  async status(): Promise<CacheStatus> {
    const { coherence, model } = this.context
    const { l1 } = this
    const { backplane, pending, register } = coherence
    const snapshot = await register.read().catch(() => undefined)
    return {
      fingerprint: model.codec.fingerprint,
      fingerprints: register.fingerprints,
      epoch: snapshot?.epoch ?? null,
      mayFill: snapshot?.mayFill ?? false,
      mayFillInMs: register.joiningForMs,
      pending: pending.size,
      l1: l1 && { ...l1.size, isTrusted: backplane?.isUp ?? true },
      unproven: this.#unproven(),
    }
  }

  /** @throws InvalidIdError, StoreError */
  async examine(text: string): Promise<Examination<Row>> {
    return examine(this.context, this.l1, this.#rowIdOf(this.idOf(text)))
  }

  /** What the store has of rows, in the order of their ids. @throws InvalidIdError, StoreError */
  async storedOf(texts: readonly string[]): Promise<readonly StoredValue<Row>[]> {
    const rowIds = texts.map((text) => this.#rowIdOf(this.idOf(text)))
    return (await readManyStored(this.context, rowIds)).map(({ stored }) => stored)
  }

  /** @throws InvalidIdError */
  explainLocally(text: string): LocalExplanation {
    return explainLocally(this.context, this.l1, this.#rowIdOf(this.idOf(text)))
  }

  /** The id that a text stands for. @throws InvalidIdError */
  idOf(text: string): Id {
    const { id, name } = this.description
    return valueOfText(name, 'id', id, id.length > 1, text) as Id
  }

  /** Whether a text stands for an id. */
  isId(text: string): boolean {
    try {
      this.#rowIdOf(this.idOf(text))
      return true
    } catch {
      return false
    }
  }

  /** The key in the store of a row. @throws InvalidIdError */
  storeKeyOf(text: string): string {
    return this.context.model.keys.keyOf(this.#rowIdOf(this.idOf(text)))
  }

  /** The key of a lookup that a text stands for. @throws InvalidIdError, ModelCacheError (`E_UNKNOWN_LOOKUP`) */
  keyOf(name: string, text: string): { readonly lookup: CachedLookup<Row, Id>; readonly key: unknown } {
    const lookup = this.lookups.get(name)
    const { description, isCompound } = lookup.bound
    const shown = `${this.description.name}.${name}`
    return { lookup, key: valueOfText(shown, 'key', description.key, isCompound, text) }
  }

  /** What a row is to be typed as: its id, or JSON if that has several fields. */
  textOf(rowId: RowId): string {
    return textOfRowId(this.description.id, rowId)
  }

  /** As {@link textOf}, of an id. @throws InvalidIdError */
  textOfId(id: Id): string {
    return this.textOf(this.#rowIdOf(id))
  }

  #rowIdOf(id: Id): RowId {
    return this.context.model.keys.toRowId(id)
  }
}

/** @throws InvalidIdError */
function valueOfText(
  name: string,
  what: 'id' | 'key',
  fields: readonly (IdField | KeyField)[],
  isCompound: boolean,
  text: string,
): unknown {
  const values = fieldsOfText(fields, text)
  if (!values) throw new InvalidIdError(name, typedForm(fields), text, what)
  return isCompound ? values : values[fields[0]!.name]
}
