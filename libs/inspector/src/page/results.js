import { formatCount } from './kit/format.js'

/**
 * Sums up what became of results, by the models that they read, and by query.
 *
 * @param roots of an answer about queries
 * @returns for each root with results `{ root, faults, models, queries }`: sentences on why results do not pay,, the models and queries with the most reads first
 */
export function resultsOf(roots) {
  return roots.flatMap(({ kept = [], models, resultFaults = [], root }) => {
    const shapes = models.flatMap((model) => model.results ?? [])
    if (kept.length === 0 && shapes.length === 0) return []
    const written = new Map(models.map((each) => [each.model, each.written]))
    const named = new Set([...kept, ...shapes.flatMap((shape) => shape.models)])
    return [
      {
        root,
        faults: resultFaults.map(faultText),
        models: [...named]
          .map((model) => ({
            model,
            isListed: kept.includes(model),
            written: written.get(model),
            ...sumOf(shapes.filter((shape) => shape.models.includes(model))),
          }))
          .toSorted(byCount),
        queries: shapes
          .map((shape) => ({ ...shape, endedBy: lastWriteIn(shape.models, written) }))
          .toSorted(byCount),
      },
    ]
  })
}

/** Says why results do not pay. */
function faultText({ kind, loads, model, query, reads, refused, writes }) {
  switch (kind) {
    case 'written_often':
      return `${model} is written too often: ${formatCount(loads)} of ${formatCount(reads)} results that read it were loaded, and it was written ${formatCount(writes)} times.`
    case 'refused':
      return `${formatCount(refused)} of ${formatCount(loads)} results of ${model}.${query} were not stored: they are too large, or have a value that cannot be read again.`
    default:
      return `No result reads ${model}, which is listed in reads.results and was written ${formatCount(writes)} times.`
  }
}

const byCount = (one, other) => other.count - one.count

function sumOf(shapes) {
  const total = (name) => shapes.reduce((sum, shape) => sum + shape[name], 0)
  return { count: total('count'), loads: total('loads'), refused: total('refused') }
}

/** The model of the last write that has ended results which read these models: `{ model, agoMs }`, or undefined. */
function lastWriteIn(models, written) {
  return models
    .flatMap((model) => (written.get(model) ? [{ model, agoMs: written.get(model).agoMs }] : []))
    .toSorted((one, other) => one.agoMs - other.agoMs)[0]
}

/** The part of reads that no SQL was sent for; null without reads. */
export const shareWithoutSql = ({ count, loads }) => (count === 0 ? null : Math.max(0, 1 - loads / count))
