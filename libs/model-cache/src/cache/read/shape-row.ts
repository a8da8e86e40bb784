import type { CachePolicy, ModelContext } from '../context.js'

/** Freezes a row that is shared. One that does not match its schema, which encoding has reported, is served unfrozen. */
export function shareRow<Row>(codec: Pick<ModelContext<Row, never>['codec'], 'freeze'>, row: Row): Row {
  try {
    return codec.freeze(row)
  } catch {
    return row
  }
}

/** Gives a row of the source the form of one that was read from the store. */
export function shapeRow<Row>(
  { codec }: Pick<ModelContext<Row, never>, 'codec'>,
  { sharesRows }: Pick<CachePolicy, 'sharesRows'>,
  row: Row,
): Row {
  const normal = codec.normalize(row)
  return sharesRows ? shareRow(codec, normal) : normal
}
