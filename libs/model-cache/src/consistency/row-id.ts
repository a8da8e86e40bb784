/** What tells the rows of a model apart in memory: the id itself, or the fields of a composite one as a text. */
export type RowId = string | number | bigint
