import { keyFieldsOf, lookupsJoined, showsEntries } from '../../joined-lookups.js'
import type { CascadedRows } from './claim-rows.js'
import type { Args } from '../internals.js'
import { keysIn, whereOf } from './conditions.js'
import { type Row, rowKeyOf } from './literals.js'
import { showsNewIds } from './plan-cascades.js'
import { markWritten, select, type WriteContext } from './write-context.js'
import type { LookUp, WritePlan } from './write-plan.js'

/** Marks the rows that nested writes have created or connected, and all other rows at the same path. */
export async function lookUpAfter(
  context: WriteContext,
  plan: WritePlan,
  { model, path, reason, areNew, change }: LookUp,
  written: Row | undefined,
): Promise<void> {
  const { coordinator, limit, models } = context.planning
  const key = rowKeyOf(models.get(plan.model)!)
  const [keys] = keysIn(context.planning, key, written ? [written] : [])
  const changed = change === 'deleted' ? noFields : change
  const keyFields = keyFieldsOf(lookupsJoined(coordinator, model, changed))
  const fields = [...coordinator.idFieldsOf(model).flat(), ...keyFields]
  const rows = keys && (await selectKnown(context, model, whereOf(path, keys), fields))
  markWritten(context, (affected) => {
    // None: what the rows were to be connected by is null, or has changed.
    if (rows && rows.length > 0 && rows.length <= limit) {
      affected.addRows(model, rows, reason)
      affected.addJoined(model, rows, changed)
    } else if (areNew) affected.addCreated(model, [{}], reason)
    else affected.addModel(model, reason)
  })
}

/** Marks the new ids of rows that were changed along with the written ones, unless they are known, and the entries that they enter. */
export async function enterCascaded(context: WriteContext, { lookUp, rows }: CascadedRows): Promise<void> {
  const { model, change, after, reason } = lookUp
  const { coordinator, models } = context.planning
  const key = rowKeyOf(models.get(model)!)
  if (!showsNewIds(coordinator, lookUp)) {
    const ids = coordinator.idFieldsOf(model).flat()
    const found = await selectAgain(context, { model, key, rows }, ids)
    markWritten(context, (affected) => affected.addRows(model, found, reason))
  }
  return enterByKey(context, { model, key, rows, changed: change === 'deleted' ? noFields : change, after })
}

/** Rows, and fields by which they can be found again. */
interface KnownRows {
  readonly model: string
  readonly key: readonly string[]
  readonly rows: readonly Row[]
}

/** Rows whose fields have changed. */
interface ChangedRows extends KnownRows {
  readonly changed: ReadonlySet<string> | undefined
  /** Values that all of them have now. */
  readonly after?: Row
}

/** Marks the entries that rows enter. Reads them after the write. */
export async function enterByKey(context: WriteContext, changes: ChangedRows): Promise<void> {
  const { model, key, rows, changed, after = {} } = changes
  const lookups = lookupsJoined(context.planning.coordinator, model, changed)
  if (rows.length === 0 || lookups.length === 0) return
  const isShown = showsEntries(lookups, after) || key.some((field) => changed?.has(field))
  const found = isShown ? [after] : await selectAgain(context, changes, keyFieldsOf(lookups))
  markWritten(context, (affected) => affected.addJoined(model, found, changed))
}

/** Selects rows by their keys; `{}` is among them if one is not found: the write itself may have changed its key. */
async function selectAgain(
  context: WriteContext,
  { key, model, rows }: KnownRows,
  fields: readonly string[],
): Promise<readonly Row[]> {
  const found: Row[] = []
  for (const keys of keysIn(context.planning, key, rows))
    for (const row of (await selectKnown(context, model, keys, fields)) ?? []) found.push(row)
  return found.length < rows.length ? [...found, {}] : found
}

const noFields: ReadonlySet<string> = new Set()

/** Selects those of the fields that the model has. */
function selectKnown(
  context: WriteContext,
  model: string,
  where: Args,
  fields: readonly string[],
): Promise<readonly Row[] | undefined> {
  const { limit, models } = context.planning
  const { scalars } = models.get(model)!
  const known = [...new Set(fields)].filter((field) => scalars.has(field))
  return select(context, model, where, known, limit + 1)
}
