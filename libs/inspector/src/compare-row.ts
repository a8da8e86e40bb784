import {
  type CacheContext,
  loadToCompare,
  readManyStored,
  type ReadRow,
  type RowCodec,
} from 'model-cache/internal'

/** A row in the store beside that of the source. Null is a row that does not exist. */
export interface Comparison<Row> {
  /**
   * `notStored`: a read would not use what the store has. `changed`: the row was written, or stored again, meanwhile, so that a difference
   * says nothing.
   */
  readonly outcome: 'same' | 'different' | 'notStored' | 'changed'
  /** Undefined if a read would not use it. */
  readonly stored: Row | null | undefined
  /** As it would be stored, if it matches its schema. */
  readonly source: Row | null
  /** As the source has given it; undefined if it has no such row. */
  readonly loaded: Row | undefined
}

/**
 * Compares a row in the store with the source, and stores nothing.
 *
 * @throws StoreError
 * @throws any error of the source
 */
export async function compareRow<Row, Id>(context: CacheContext<Row, Id>, id: Id): Promise<Comparison<Row>> {
  const { model, runtime } = context
  const rowId = model.keys.toRowId(id)
  const read = async () => (await readManyStored(context, [rowId]))[0]!
  const before = await read()
  const loaded = (await loadToCompare(model, runtime.permits, [id]))[0]
  const after = await read()
  const current = loaded === undefined ? absent : asStored(model.codec, loaded)
  const found = before.stored
  const outcome = (): Comparison<Row>['outcome'] => {
    if (!isSame(before, after)) return 'changed'
    if (!found.isHit) return 'notStored'
    if (found.row === null || current.payload == null)
      return found.row === current.payload ? 'same' : 'different'
    const { comparable = (payload) => payload } = model.codec
    return comparable(found.payload) === comparable(current.payload) ? 'same' : 'different'
  }
  return { outcome: outcome(), stored: found.isHit ? found.row : undefined, source: current.row, loaded }
}

function isSame(before: ReadRow<unknown>, after: ReadRow<unknown>): boolean {
  const [one, other] = [before, after].map(({ snapshot, value, guard }) =>
    [snapshot.epoch, value?.toString('base64'), guard].join('\n'),
  )
  return one === other
}

const absent = { row: null, payload: null } as const

/** A row in the form of stored ones, and what would be stored of it: nothing if it does not match its schema. */
function asStored<Row>(
  codec: RowCodec<Row>,
  loaded: Row,
): { readonly row: Row; readonly payload: string | undefined } {
  const row = codec.normalize(loaded)
  try {
    return { row, payload: codec.encode(row) }
  } catch {
    return { row, payload: undefined }
  }
}
