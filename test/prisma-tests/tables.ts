/** The tables of a Prisma schema, as `prisma migrate` would create them, without its engine, which would have to be fetched. */

export interface DataModel {
  readonly enums: readonly {
    readonly name: string
    readonly dbName: string | null
    readonly values: readonly { readonly name: string; readonly dbName: string | null }[]
  }[]
  readonly models: readonly Model[]
  readonly indexes: readonly Index[]
}

interface Index {
  readonly model: string
  readonly type: 'id' | 'normal' | 'unique' | 'fulltext'
  readonly fields: readonly { readonly name: string }[]
}

interface Model {
  readonly name: string
  readonly dbName: string | null
  readonly schema?: string | null
  readonly fields: readonly Field[]
}

interface Field {
  readonly name: string
  readonly dbName?: string | null
  readonly kind: 'scalar' | 'enum' | 'object' | 'unsupported'
  readonly type: string
  readonly isList: boolean
  readonly isRequired: boolean
  readonly nativeType?: readonly [string, readonly string[]] | null
  readonly default?: unknown
  readonly relationName?: string
  readonly relationFromFields?: readonly string[]
  readonly relationToFields?: readonly string[]
  readonly relationOnDelete?: string
  readonly relationOnUpdate?: string
}

type Provider = 'postgresql' | 'mysql' | 'sqlite'

const types: Readonly<Record<Provider, Readonly<Record<string, string>>>> = {
  postgresql: {
    BigInt: 'BIGINT',
    Boolean: 'BOOLEAN',
    Bytes: 'BYTEA',
    DateTime: 'TIMESTAMP(3)',
    Decimal: 'DECIMAL(65,30)',
    Float: 'DOUBLE PRECISION',
    Int: 'INTEGER',
    Json: 'JSONB',
    String: 'TEXT',
  },
  mysql: {
    BigInt: 'BIGINT',
    Boolean: 'BOOLEAN',
    Bytes: 'LONGBLOB',
    DateTime: 'DATETIME(3)',
    Decimal: 'DECIMAL(65,30)',
    Float: 'DOUBLE',
    Int: 'INTEGER',
    Json: 'JSON',
    String: 'VARCHAR(191)',
  },
  sqlite: {
    BigInt: 'BIGINT',
    Boolean: 'BOOLEAN',
    Bytes: 'BLOB',
    DateTime: 'DATETIME',
    Decimal: 'DECIMAL',
    Float: 'REAL',
    Int: 'INTEGER',
    Json: 'JSONB',
    String: 'TEXT',
  },
}

const actions: Readonly<Record<string, string>> = {
  Cascade: 'CASCADE',
  NoAction: 'NO ACTION',
  Restrict: 'RESTRICT',
  SetDefault: 'SET DEFAULT',
  SetNull: 'SET NULL',
}

/** @param hasForeignKeys false with `relationMode = "prisma"` */
export function tablesOf(model: DataModel, provider: string, hasForeignKeys: boolean): string {
  return new Tables(model, provider as Provider, hasForeignKeys).statements().join(';\n')
}

class Tables {
  readonly #data: DataModel
  readonly #provider: Provider
  readonly #hasForeignKeys: boolean

  constructor(data: DataModel, provider: Provider, hasForeignKeys: boolean) {
    this.#data = data
    this.#provider = provider
    this.#hasForeignKeys = hasForeignKeys
  }

  statements(): string[] {
    const { enums, models } = this.#data
    const isPostgres = this.#provider === 'postgresql'
    const schemas = new Set(models.flatMap(({ schema }) => schema ?? []))
    const named = isPostgres
      ? enums.map(
          ({ dbName, name, values }) =>
            `CREATE TYPE ${this.#name(dbName ?? name)} AS ENUM (${values.map((value) => text(value.dbName ?? value.name)).join(', ')})`,
        )
      : []
    return [
      ...(isPostgres ? Array.from(schemas, (name) => `CREATE SCHEMA IF NOT EXISTS ${this.#name(name)}`) : []),
      ...named,
      ...models.map((each) => this.#createTable(each)),
      ...models.flatMap((each) => this.#indexesOf(each)),
      ...this.#joinTables(),
      // SQLite has them in CREATE TABLE alone.
      ...(this.#provider === 'sqlite'
        ? []
        : models.flatMap((each) =>
            this.#foreignKeysOf(each).map((key) => `ALTER TABLE ${this.#table(each)} ADD ${key}`),
          )),
    ]
  }

  #createTable(model: Model): string {
    const columns = model.fields.filter(({ kind }) => kind !== 'object')
    const id = this.#data.indexes.find((index) => index.model === model.name && index.type === 'id')
    const rowId = this.#provider === 'sqlite' ? columns.find((field) => isIncremented(field)) : undefined
    const lines = columns.map((field) =>
      field === rowId
        ? `${this.#column(field)} INTEGER PRIMARY KEY AUTOINCREMENT`
        : this.#columnOf(model, field),
    )
    if (id && !rowId) {
      // Under the name by which PostgreSQL reports it.
      const name = this.#name(`${model.dbName ?? model.name}_pkey`)
      lines.push(
        `CONSTRAINT ${name} PRIMARY KEY (${this.#columns(
          model,
          id.fields.map(({ name }) => name),
        )})`,
      )
    }
    if (this.#provider === 'sqlite') lines.push(...this.#foreignKeysOf(model))
    return `CREATE TABLE ${this.#table(model)} (\n  ${lines.join(',\n  ')}\n)`
  }

  #columnOf(model: Model, field: Field): string {
    const { isList, isRequired } = field
    const isSerial = isIncremented(field) && this.#provider === 'postgresql'
    const type = isSerial ? (field.type === 'BigInt' ? 'BIGSERIAL' : 'SERIAL') : this.#typeOf(field)
    const increment = isIncremented(field) && this.#provider === 'mysql' ? ' AUTO_INCREMENT' : ''
    const nullable = isRequired && !isList ? ' NOT NULL' : type.startsWith('TIMESTAMP') ? ' NULL' : ''
    // MySQL wants an index with the column itself.
    const key = increment && !this.#isKey(model, field) ? ' UNIQUE' : ''
    return `${this.#column(field)} ${type}${isList ? '[]' : ''}${nullable}${increment}${key}${this.#defaultOf(field)}`
  }

  #isKey(model: Model, field: Field): boolean {
    return this.#data.indexes.some(
      (index) => index.model === model.name && index.fields[0]!.name === field.name,
    )
  }

  #typeOf({ kind, nativeType, type }: Field): string {
    if (kind === 'enum') {
      const { dbName, name, values } = this.#data.enums.find((each) => each.name === type)!
      if (this.#provider === 'postgresql') return this.#name(dbName ?? name)
      if (this.#provider === 'sqlite') return 'TEXT'
      return `ENUM(${values.map((value) => text(value.dbName ?? value.name)).join(', ')})`
    }
    if (!nativeType) return types[this.#provider][type]!
    const [name, given] = nativeType
    const words = name.replace(/^Unsigned(.*)/, '$1 UNSIGNED').replace('DoublePrecision', 'Double Precision')
    const [first, ...rest] = words.split(' ')
    const length = given.length > 0 ? `(${given.join(',')})` : ''
    return [`${first}${length}`, ...rest].join(' ').toUpperCase()
  }

  #defaultOf({ default: value, isList, kind, type }: Field): string {
    if (value === undefined || value === null) return ''
    if (typeof value === 'object' && !Array.isArray(value)) {
      const { args, name } = value as { name: string; args: readonly string[] }
      if (name === 'now')
        return this.#provider === 'mysql' ? ' DEFAULT CURRENT_TIMESTAMP(3)' : ' DEFAULT CURRENT_TIMESTAMP'
      return name === 'dbgenerated' && args.length > 0 ? ` DEFAULT (${args[0]})` : ''
    }
    if (isList)
      return ` DEFAULT ARRAY[${(value as unknown[]).map((one) => this.#literal(one, kind, type)).join(', ')}]::${this.#typeOf({ kind, type } as Field)}[]`
    return ` DEFAULT ${this.#literal(value, kind, type)}`
  }

  #literal(value: unknown, kind: string, type: string): string {
    if (kind === 'enum') {
      const { values } = this.#data.enums.find((each) => each.name === type)!
      const found = values.find(({ name }) => name === value)!
      return text(found.dbName ?? found.name)
    }
    if (type === 'Bytes') {
      const hex = Buffer.from(String(value), 'base64').toString('hex')
      return this.#provider === 'postgresql' ? text(`\\x${hex}`) : `x'${hex}'`
    }
    if (['BigInt', 'Boolean', 'Decimal', 'Float', 'Int'].includes(type)) return String(value)
    return this.#provider === 'mysql' && type === 'Json' ? `(${text(value)})` : text(value)
  }

  #indexesOf(model: Model): string[] {
    return this.#data.indexes
      .filter((index) => index.model === model.name && index.type !== 'id')
      .map(({ fields, type }) => {
        const columns = fields.map(({ name }) => this.#columnName(model, name))
        const suffix = type === 'unique' ? 'key' : 'idx'
        const name = this.#name(`${model.dbName ?? model.name}_${columns.join('_')}_${suffix}`)
        const kind = { unique: 'UNIQUE ', fulltext: 'FULLTEXT ' }[type as string] ?? ''
        const names = columns.map((column) => this.#name(column)).join(', ')
        const schema = model.schema && this.#provider === 'sqlite' ? `${this.#name(model.schema)}.` : ''
        return `CREATE ${kind}INDEX ${schema}${name} ON ${this.#table(model)} (${names})`
      })
  }

  #foreignKeysOf(model: Model): string[] {
    if (!this.#hasForeignKeys) return []
    return model.fields.flatMap((field) => {
      const {
        relationFromFields: from = [],
        relationOnDelete,
        relationOnUpdate,
        relationToFields: to = [],
      } = field
      if (from.length === 0) return []
      const target = this.#model(field.type)
      const columns = from.map((name) => this.#columnName(model, name))
      const isOptional = from.some((name) => !model.fields.find((each) => each.name === name)!.isRequired)
      const name = this.#name(`${model.dbName ?? model.name}_${columns.join('_')}_fkey`)
      const onDelete = actions[relationOnDelete ?? (isOptional ? 'SetNull' : 'Restrict')]
      const onUpdate = actions[relationOnUpdate ?? 'Cascade']
      return `CONSTRAINT ${name} FOREIGN KEY (${columns.map((each) => this.#name(each)).join(', ')}) REFERENCES ${this.#table(target)} (${this.#columns(target, to)}) ON DELETE ${onDelete} ON UPDATE ${onUpdate}`
    })
  }

  /** Those of implicit many-to-many relations: two lists of one relation. */
  #joinTables(): string[] {
    const sides = this.#data.models.flatMap((model) =>
      model.fields
        .filter(({ isList, kind }) => kind === 'object' && isList)
        .map((field) => ({ model, field })),
    )
    const names = new Set(sides.map(({ field }) => field.relationName!))
    return Array.from(names).flatMap((relation) => {
      const both = sides.filter(({ field }) => field.relationName === relation)
      if (both.length !== 2) return []
      const [a, b] = both.toSorted((one, other) =>
        [one.model.name, one.field.name].join() < [other.model.name, other.field.name].join() ? -1 : 1,
      )
      const schema = a!.model.schema
      const table = this.#table({ name: `_${relation}`, dbName: null, fields: [], ...(schema && { schema }) })
      const column = (name: string, { model }: { model: Model }): string => {
        const id = this.#idOf(model)
        const key = this.#hasForeignKeys
          ? ` REFERENCES ${this.#table(model)} (${this.#column(id)}) ON DELETE CASCADE ON UPDATE CASCADE`
          : ''
        return `${this.#name(name)} ${this.#typeOf(id)} NOT NULL${key}`
      }
      return [
        `CREATE TABLE ${table} (${column('A', a!)}, ${column('B', b!)}, CONSTRAINT ${this.#name(`_${relation}_AB_pkey`)} PRIMARY KEY (${this.#name('A')}, ${this.#name('B')}))`,
        `CREATE INDEX ${this.#name(`_${relation}_B_index`)} ON ${table} (${this.#name('B')})`,
      ]
    })
  }

  #idOf(model: Model): Field {
    const { fields } = this.#data.indexes.find((index) => index.model === model.name && index.type === 'id')!
    return model.fields.find(({ name }) => name === fields[0]!.name)!
  }

  #model(name: string): Model {
    return this.#data.models.find((model) => model.name === name)!
  }

  #table({ dbName, name, schema }: Model): string {
    return `${schema ? `${this.#name(schema)}.` : ''}${this.#name(dbName ?? name)}`
  }

  #columns(model: Model, fields: readonly string[]): string {
    return fields.map((name) => this.#name(this.#columnName(model, name))).join(', ')
  }

  #columnName(model: Model, name: string): string {
    const field = model.fields.find((each) => each.name === name)!
    return field.dbName ?? field.name
  }

  #column({ dbName, name }: Field): string {
    return this.#name(dbName ?? name)
  }

  #name(name: string): string {
    return this.#provider === 'mysql' ? `\`${name}\`` : `"${name}"`
  }
}

function isIncremented({ default: value }: Field): boolean {
  return (value as { name?: string } | undefined)?.name === 'autoincrement'
}

function text(value: unknown): string {
  return `'${String(value).replaceAll("'", "''")}'`
}
