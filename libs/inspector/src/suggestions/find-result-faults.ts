import { type ClientQueries, queryText, type ResultCounts } from 'model-cache/internal'

/** A reason why results do not pay: plain JSON. */
export type ResultFault =
  /** Writes end the results of the model before they are read again. */
  | {
      readonly kind: 'written_often'
      readonly model: string
      readonly reads: number
      readonly loads: number
      readonly writes: number
    }
  /** Results of a query are not stored: they are too large, or have a value that cannot be read again. */
  | {
      readonly kind: 'refused'
      readonly model: string
      readonly query: string
      readonly loads: number
      readonly refused: number
    }
  /** A listed model that no query reads: each write to it pays for nothing. */
  | { readonly kind: 'unread'; readonly model: string; readonly writes: number }

/** Fewer reads say nothing. */
export const leastReads = 500
/** Fewer writes, or loads, cost nothing. */
const leastEvents = 50
/** Results below this part of reads without SQL do not pay for their writes. */
const leastShare = 0.2

/** Whether too few reads of results find one. */
export const areSeldomFound = (reads: number, loads: number): boolean => 1 - loads / reads < leastShare

/** Finds the reasons why results that clients keep do not pay, once enough queries have been counted to tell. */
export function findResultFaults({ kept = [], models }: ClientQueries): readonly ResultFault[] {
  const shapes = models.flatMap(({ results = [] }) => results)
  const writesOf = new Map(models.map(({ model, written }) => [model, written?.count ?? 0]))
  const reading = (model: string): readonly ResultCounts[] =>
    shapes.filter((shape) => shape.models.includes(model))
  const isBusy = sum(shapes, 'count') >= leastReads
  const often = [...new Set(shapes.flatMap((shape) => shape.models))].flatMap(
    (model): readonly ResultFault[] => {
      const [reads, loads, writes] = [
        sum(reading(model), 'count'),
        sum(reading(model), 'loads'),
        writesOf.get(model) ?? 0,
      ]
      const isOften = reads >= leastReads && writes >= leastEvents && areSeldomFound(reads, loads)
      // What other models end is not the fault of this one.
      return isOften && 2 * writes >= loads ? [{ kind: 'written_often', model, reads, loads, writes }] : []
    },
  )
  const refused = shapes
    .filter((shape) => shape.refused >= leastEvents && 2 * shape.refused >= shape.loads)
    .map(({ action, args, loads, model, refused: count }): ResultFault => {
      const query = args ? queryText(action, args) : `${action}(…)`
      return { kind: 'refused', model, query, loads, refused: count }
    })
  const unread = kept.flatMap((model): readonly ResultFault[] => {
    const writes = writesOf.get(model) ?? 0
    return isBusy && writes >= leastEvents && reading(model).length === 0
      ? [{ kind: 'unread', model, writes }]
      : []
  })
  return [...often, ...refused, ...unread]
}

function sum(shapes: readonly ResultCounts[], name: 'count' | 'loads'): number {
  return shapes.reduce((total, shape) => total + shape[name], 0)
}
