import { AffectedRows } from '../../affected-rows.js'
import { isPlain } from '../../plain.js'
import type { Models } from '../../schema-facts.js'
import type { Args } from '../internals.js'
import { planWrite } from './plan-write.js'
import type { Planning } from './planning.js'
import type { WritePlan } from './write-plan.js'

/**
 * Creates the planner for the writes of a client. A write to a model that has a `problem`, or with a nested write to one, counts as a
 * write to all rows of every model that relations connect it to; all others are planned exactly.
 */
export function createPlanner(
  planning: Planning,
): (model: string, operation: string, args: Args) => WritePlan | undefined {
  const { models } = planning
  if (![...models.values()].some(({ problem }) => problem)) return (...query) => planWrite(planning, ...query)
  return (model, operation, args) => {
    const unplannable = writtenModelsIn(models, model, args).filter((name) => models.get(name)?.problem)
    return unplannable.length > 0
      ? planConservatively(planning, model)
      : planWrite(planning, model, operation, args)
  }
}

function planConservatively({ models, coordinator, limit }: Planning, model: string): WritePlan | undefined {
  const affected = new AffectedRows(coordinator, limit)
  for (const name of connectedTo(models, model)) affected.addModel(name, 'unknown')
  return affected.isEmpty
    ? undefined
    : {
        model,
        idFields: [],
        affected,
        unknown: 'none',
        entering: undefined,
        lookUps: [],
        mode: 'plain',
        changes: {},
      }
}

/** The models that a query may write itself. Anything that looks like a relation field, at any depth, counts as one. */
function writtenModelsIn(models: Models, name: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => writtenModelsIn(models, name, item))
  if (!isPlain(value)) return [name]
  const relations = models.get(name)?.relations
  const inner = Object.entries(value).flatMap(([key, item]) =>
    writtenModelsIn(models, relations?.get(key)?.target ?? name, item),
  )
  return [name, ...inner]
}

/** Follows all relations, of the schema and of the client, in both directions. */
function connectedTo(models: Models, model: string): ReadonlySet<string> {
  const edges = [...models].flatMap(([from, { children, relationTargets }]) => [
    ...Array.from(relationTargets.values(), (to) => [from, to]),
    ...children.map((child) => [from, child.model]),
  ])
  const connected = new Set([model])
  // Iterating a set also visits names that are added meanwhile.
  for (const name of connected) {
    for (const edge of edges) if (edge.includes(name)) for (const end of edge) connected.add(end)
  }
  return connected
}
