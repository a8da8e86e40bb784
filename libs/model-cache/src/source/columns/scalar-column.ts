/** What the schema says of a column. */
export interface ScalarColumn {
  /** The name of the column in the database. */
  readonly column: string
  /** `'String'`, `'DateTime'`, `'Enum'` and so on. */
  readonly type: string
  readonly isList: boolean
  readonly isNullable: boolean
  /** Whether the client sets it to the time of each update, `@updatedAt`. */
  readonly isUpdatedAt: boolean
  /** Whether the schema says `/// @cache(omit)`. */
  readonly isKeptOut: boolean
  /** The type in the database if the schema names it: `'Timestamptz'`, `'Uuid'`. */
  readonly nativeType: string | undefined
  /** `['6']` for `Timestamptz(6)`. */
  readonly nativeArguments: readonly string[]
  /** For an enum: the name of each value in the database, by its name in the client. */
  readonly databaseValues: ReadonlyMap<string, string> | undefined
}

/** The class of the decimals that a client returns. */
export interface DecimalClass {
  new (value: string): object
  readonly prototype: object
  isDecimal(value: unknown): boolean
}
