/** Identifies a row of a model in memory: its id, or the fields of a composite id as one string. */
export type RowId = string | number | bigint
