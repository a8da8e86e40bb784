/** Records what the writes of a client announce, and finds changed rows and lookups that they have not announced. */
import type {
  WatchedLookup,
  WriteCoordinator,
  WriterSchema,
  WriteUnit,
  WrittenRow,
} from 'model-cache/advanced'
import type { Random } from '../differential/random.ts'
import type { Model, Relation, Schema } from './random-schema.ts'
import type { Row, Rows } from './random-rows.ts'

/** What was announced of one model. */
interface Announced {
  isWhole: boolean
  isCreated: boolean
  readonly rows: WrittenRow[]
  readonly joined: {
    readonly rows: readonly WrittenRow[]
    readonly changed: ReadonlySet<string> | undefined
  }[]
  readonly through: { readonly relation: string; readonly rows: readonly WrittenRow[] }[]
}

/** A row in the entry of one at the other side of a relation. */
interface Listed {
  readonly id: string
  readonly key: number
  readonly row: Row
}

export class AnnouncedChanges implements WriteCoordinator {
  /** Id fields of caches, by model. */
  readonly caches = new Map<string, readonly (readonly string[])[]>()
  readonly lookups = new Map<string, readonly WatchedLookup[]>()
  /** Why all rows of models counted as written so far. */
  readonly reasons = new Set<string>()
  readonly #announced = new Map<string, Announced>()
  #tables: WriterSchema | undefined

  /** What the database says of views arrives here. */
  forSchema(tables: WriterSchema): this {
    this.#tables = tables
    return this
  }

  choose(random: Random, { models }: Schema): void {
    this.forget()
    this.caches.clear()
    this.lookups.clear()
    for (const model of models) {
      if (random.chance(40)) continue
      const others = random.some(model.keys, 25)
      const caches = random.chance(75) ? [model.keys[0]!, ...others.slice(0, 1)] : [random.pick(model.keys)]
      const isDependedOn = random.chance(10)
      const distinct = [...new Map(caches.map((fields) => [fields.join(), fields])).values()]
      this.caches.set(model.name, isDependedOn ? [...distinct, []] : distinct)
      const lookups = Array.from({ length: random.below(4) }, () => lookupOf(random, model, caches[0]!))
      const through = model.relations
        .filter(({ holder }) => holder === 'join-table')
        .map((relation) => lookupThrough(random, model, relation, caches[0]!))
      this.lookups.set(model.name, [...lookups, ...random.some(through, 60)])
    }
  }

  /** Forgets what was announced. */
  forget(): void {
    this.#announced.clear()
  }

  /** Writes to a view, or to what it reads, concern all rows of the other one, as to caches by table. */
  idFieldsOf(model: string): readonly (readonly string[])[] {
    const own = this.caches.get(model) ?? []
    return this.#othersOf(model).some((other) => this.caches.has(other)) ? [...own, []] : own
  }

  #othersOf(model: string): readonly string[] {
    const tables = [...(this.#tables?.models.values() ?? [])]
    const own = this.#tables?.models.get(model)
    const reads = (view: (typeof tables)[number], table: (typeof tables)[number] | undefined): boolean =>
      typeof view.shared === 'object' && view.shared.tables.some(({ name }) => name === table?.name)
    return tables.flatMap((other) => (own && (reads(own, other) || reads(other, own)) ? [other.model] : []))
  }

  lookupsOf(model: string): readonly WatchedLookup[] {
    return this.lookups.get(model) ?? []
  }

  prepare(): undefined {}

  begin(): WriteUnit {
    let pending: (() => void)[] = []
    return {
      markWritten: (model, rows) => void pending.push(() => this.#of(model).rows.push(...rows)),
      markAllWritten: (model, reason) => {
        this.reasons.add(reason)
        pending.push(() => (this.#of(model).isWhole = true))
      },
      markCreated: (model) => void pending.push(() => (this.#of(model).isCreated = true)),
      markJoined: (model, rows, changed) =>
        void pending.push(() => this.#of(model).joined.push({ rows, changed })),
      markJoinedThrough: (model, relation, rows) =>
        void pending.push(() => this.#of(model).through.push({ relation, rows })),
      noteWrite() {},
      get isFenced() {
        return pending.length === 0
      },
      async fence() {
        for (const mark of pending) mark()
        pending = []
      },
      async end() {},
    }
  }

  within<T>(_unit: WriteUnit, _client: object, work: () => Promise<T>): Promise<T> {
    return work()
  }

  /** Of how many models all rows count as written. */
  get wholeModels(): number {
    return [...this.#announced.values()].filter(({ isWhole }) => isWhole).length
  }

  /** What was not announced though it has changed, for people. */
  missed(schema: Pick<Schema, 'joinTables' | 'models'>, before: Rows, after: Rows): string[] {
    return schema.models.flatMap((model) => [
      ...this.#missedRows(model, before, after),
      ...this.#missedEntries(model, before, after),
      ...this.#missedThrough(schema, model, before, after),
    ])
  }

  announced(): unknown {
    return Object.fromEntries(
      [...this.#announced].map(([model, { joined, ...known }]) => [
        model,
        { ...known, joined: joined.map(({ rows, changed }) => ({ rows, changed: changed && [...changed] })) },
      ]),
    )
  }

  #missedRows({ name }: Model, before: Rows, after: Rows): string[] {
    const { isCreated, isWhole, rows } = this.#of(name)
    if (isWhole || this.#isShared(name)) return []
    return (this.caches.get(name) ?? []).flatMap((fields) => {
      const [former, present] = [byFields(before.get(name)!, fields), byFields(after.get(name)!, fields)]
      if (fields.length === 0) {
        const isSame = textOf(before.get(name)!) === textOf(after.get(name)!)
        return isSame || isCreated || rows.length > 0 ? [] : [`${name}: dependents`]
      }
      const named = new Set(rows.map((row) => keyIn(row as Row, fields)))
      const changed = [...new Set([...former.keys(), ...present.keys()])].filter(
        (key) => JSON.stringify(former.get(key)) !== JSON.stringify(present.get(key)),
      )
      return changed
        .filter((key) => !named.has(key) && !(isCreated && !former.has(key)))
        .map((key) => `${name} by ${fields.join()}: row ${key}`)
    })
  }

  #missedEntries({ name }: Model, before: Rows, after: Rows): string[] {
    const [ids] = this.caches.get(name) ?? []
    if (!ids) return []
    const { isCreated, isWhole, joined } = this.#of(name)
    if (isWhole || isCreated || this.#isShared(name)) return []
    const former = byFields(before.get(name)!, ids)
    return this.lookupsOf(name).flatMap(({ fields, key, through }) => {
      if (through !== undefined) return []
      const concerning = joined.filter(
        ({ changed }) => !changed || !fields || fields.some((field) => changed.has(field)),
      )
      const known = concerning.flatMap(({ rows }) => rows)
      if (
        known.some(
          (row) =>
            !key ||
            (key.some((field) => row[field] === undefined) && !key.some((field) => row[field] === null)),
        )
      )
        return []
      return [...byFields(after.get(name)!, ids)]
        .filter(([id, row]) => {
          const old = former.get(id)
          const isEntering = !old || (fields ?? Object.keys(row)).some((field) => old[field] !== row[field])
          if (!isEntering || key?.some((field) => row[field] === null)) return false
          return !key || !known.some((one) => key.every((field) => one[field] === row[field]))
        })
        .map(([id]) => `${name} by ${key?.join()}, watching ${fields?.join()}: row ${id} enters`)
    })
  }

  #missedThrough(
    { joinTables }: Pick<Schema, 'joinTables'>,
    model: Model,
    before: Rows,
    after: Rows,
  ): string[] {
    const { name } = model
    const [ids] = this.caches.get(name) ?? []
    if (!ids) return []
    const { isCreated, isWhole, joined, through } = this.#of(name)
    if (isWhole || isCreated || this.#isShared(name)) return []
    return this.lookupsOf(name).flatMap(({ fields, key, through: relation }) => {
      if (relation === undefined) return []
      const table = joinTables.find(({ a, b }) =>
        [a, b].some((side) => side.model === model && side.field === relation),
      )!
      // The column A has the keys of rows with the field of its side.
      const isA = table.a.model === model && table.a.field === relation
      const [own, other] = isA ? (['A', 'B'] as const) : (['B', 'A'] as const)
      const listed = (rows: Rows): Map<string, Listed> => {
        const byKey = byFields(rows.get(name)!, model.keys[0]!)
        return new Map(
          rows.get(table.table)!.flatMap((pair): [string, Listed][] => {
            const row = byKey.get(JSON.stringify([pair[own]]))!
            const id = keyIn(row, ids)
            // Null is no id.
            return id === undefined ? [] : [[`${pair[other]} ${id}`, { id, key: pair[other]!, row }]]
          }),
        )
      }
      const [former, present] = [listed(before), listed(after)]
      const remaining = byFields(after.get(name)!, ids)
      const rowsBefore = byFields(before.get(name)!, ids)
      const changed = [
        ...[...former].filter(([text, { id }]) => !present.has(text) && remaining.has(id)),
        ...[...present].filter(([text, { id, row }]) => {
          const old = rowsBefore.get(id)
          return !former.has(text) || !old || fields!.some((field) => old[field] !== row[field])
        }),
      ]
      const named = through.flatMap((one) => (one.relation === relation ? one.rows : []))
      const [field] = key!
      const isUnknown =
        named.some((row) => row[field!] === undefined) ||
        joined.some((one) => fields!.some((name) => one.changed?.has(name)))
      return changed
        .filter(([, { key }]) => !isUnknown && !named.some((row) => row[field!] === key))
        .map(([text]) => `${name} through ${relation}, watching ${fields!.join()}: ${text}`)
    })
  }

  /** Whether a write to a view, or to what it reads, was announced. */
  #isShared(model: string): boolean {
    return this.#othersOf(model).some((other) => {
      const { isCreated, isWhole, rows } = this.#of(other)
      return isCreated || isWhole || rows.length > 0
    })
  }

  #of(model: string): Announced {
    let known = this.#announced.get(model)
    if (!known) {
      known = { isWhole: false, isCreated: false, rows: [], joined: [], through: [] }
      this.#announced.set(model, known)
    }
    return known
  }
}

function lookupOf(random: Random, model: Model, ids: readonly string[]): WatchedLookup {
  if (random.chance(4)) return { key: undefined, fields: undefined, through: undefined }
  const names = [...model.fields.keys()]
  const foreign = model.relations.flatMap(({ fields, holder }) => (holder === 'this' ? fields : []))
  const one = (): string => random.pick(foreign.length > 0 && random.chance(60) ? foreign : names)
  const key = [...new Set([one(), ...(random.chance(25) ? [one()] : [])])]
  const fields = [...new Set([...key, ...random.some(names, 20), ...ids])]
  return { key, fields, through: undefined }
}

function lookupThrough(
  random: Random,
  model: Model,
  { field, target }: Relation,
  ids: readonly string[],
): WatchedLookup {
  const watched = [...random.some([...model.fields.keys()], 10), ...ids]
  return { key: target.keys[0]!, fields: [...new Set(watched)], through: field }
}

/** Rows by the values of these fields; without those in which one is null. */
function byFields(rows: readonly Row[], fields: readonly string[]): Map<string, Row> {
  return new Map(
    rows.flatMap((row): [string, Row][] => {
      const key = keyIn(row, fields)
      return key === undefined ? [] : [[key, row]]
    }),
  )
}

function keyIn(row: Row, fields: readonly string[]): string | undefined {
  return fields.some((field) => row[field] === null || row[field] === undefined)
    ? undefined
    : JSON.stringify(fields.map((field) => row[field]))
}

function textOf(rows: readonly Row[]): string {
  return rows
    .map((row) => JSON.stringify(row))
    .toSorted()
    .join()
}
