import { type Table, tableKey } from './schema-facts.js'

/** A table whose rows are those of others, as the catalogue of a database has it. */
export interface FoundTable extends Table {
  /** A partition and its table, or a table that inherits from others, have columns of the same names. */
  readonly kind: 'view' | 'materialized view' | 'partition' | 'child'
  /** What a view reads; of a partition its table, of a child those that it inherits from. They may be of any kind themselves. */
  readonly of: readonly Table[]
  /** Whether a view may read more than that. */
  readonly isOpaque?: boolean
}

/** Whose rows the rows of a table are. */
export interface SharedRows {
  readonly kind: 'view' | 'partition' | 'child'
  /** The tables that have the rows. Of partitions and children: those at the top, under whose names all of one tree meet. */
  readonly tables: readonly Table[]
  /** Whether it shows the rows of these tables as they were when it was last refreshed. */
  readonly isMaterialized: boolean
  /** Whether other tables may have the rows as well. */
  readonly isOpaque: boolean
}

/** ONE ROW, SEVERAL NAMES. Which tables of a database are views, partitions or children of others, by their names. */
export class SharedTables {
  readonly #ignoresCase: boolean
  readonly #found: ReadonlyMap<string, FoundTable>
  /** The tables that inherit from each. */
  readonly #children = new Map<string, FoundTable[]>()

  /** @param ignoresCase whether the database takes names for equal that differ in case */
  constructor(found: readonly FoundTable[], ignoresCase: boolean) {
    this.#ignoresCase = ignoresCase
    this.#found = new Map(found.map((table) => [this.#key(table), table]))
    for (const child of found) {
      if (child.kind !== 'child') continue
      for (const parent of child.of)
        this.#children.set(this.#key(parent), [...(this.#children.get(this.#key(parent)) ?? []), child])
    }
  }

  /** The names of all tables that share rows, in whatever schema. */
  get names(): ReadonlySet<string> {
    const tables = [...this.#found.values()].flatMap((one) => [one, ...one.of])
    return new Set(tables.map(({ name }) => name))
  }

  /** Returns undefined for a table that has its rows alone. */
  of(table: Table): SharedRows | undefined {
    const found = this.#found.get(this.#key(table))
    if (!isView(found)) {
      const others = this.#topsOf(table).filter((top) => this.#key(top) !== this.#key(table))
      if (others.length === 0) return undefined
      return {
        kind: found?.kind === 'partition' ? 'partition' : 'child',
        tables: others,
        isMaterialized: false,
        isOpaque: false,
      }
    }
    const views = this.#viewsIn(found)
    const read = [...views.values()].flatMap(({ of }) => of).filter((one) => !views.has(this.#key(one)))
    const tables = new Map(read.flatMap((one) => this.#topsOf(one)).map((top) => [this.#key(top), top]))
    return {
      kind: 'view',
      tables: [...tables.values()],
      isMaterialized: [...views.values()].some(({ kind }) => kind === 'materialized view'),
      isOpaque: [...views.values()].some((view) => view.isOpaque),
    }
  }

  /** A view and all views that it reads, by their keys. */
  #viewsIn(view: FoundTable): ReadonlyMap<string, FoundTable> {
    const views = new Map([[this.#key(view), view]])
    // Iterating a map also visits entries that are added meanwhile.
    for (const { of } of views.values()) {
      for (const one of of) {
        const found = this.#found.get(this.#key(one))
        if (isView(found)) views.set(this.#key(found), found)
      }
    }
    return views
  }

  /** The tables without parents among all that are connected to a table by partitions and inheritance. */
  #topsOf(table: Table): readonly Table[] {
    const tree = new Map([[this.#key(table), table]])
    const tops: Table[] = []
    for (const one of tree.values()) {
      const found = this.#found.get(this.#key(one))
      const parents = !found || isView(found) ? [] : found.of
      if (parents.length === 0) tops.push(one)
      const children = this.#children.get(this.#key(one)) ?? []
      for (const { name, schema } of [...parents, ...children])
        tree.set(this.#key({ name, schema }), { schema, name })
    }
    return tops
  }

  #key(table: Table): string {
    const key = tableKey(table)
    return this.#ignoresCase ? key.toLowerCase() : key
  }
}

type View = FoundTable & { readonly kind: 'view' | 'materialized view' }

function isView(found: FoundTable | undefined): found is View {
  return found?.kind === 'view' || found?.kind === 'materialized view'
}
