import type { DataModel } from './data-model.js'
import { isPlain } from './literals.js'
import { type Planning, planWrite } from './plan-write.js'
import { type Args, runtimeModelsOf } from './prisma-internals.js'
import { AffectedRows } from './affected-rows.js'
import type { WritePlan } from './write-plan.js'

/**
 * A planner for the writes of a client. A write to a model that has a `problem`, or with a nested write to one, counts as a
 * write to all rows of the models that relations lead to from there; all others are planned exactly.
 */
export function createPlanner(
  client: object,
  planning: Planning,
): (model: string, operation: string, args: Args) => WritePlan | undefined {
  const { models } = planning
  if (![...models.values()].some(({ problem }) => problem)) return (...query) => planWrite(planning, ...query)
  return (model, operation, args) => {
    const blamed = modelsIn(models, model, args).filter((name) => models.get(name)?.problem)
    return blamed.length > 0
      ? planBlindly(client, planning, model)
      : planWrite(planning, model, operation, args)
  }
}

function planBlindly(
  client: object,
  { models, coordinator, limit }: Planning,
  model: string,
): WritePlan | undefined {
  const affected = new AffectedRows(coordinator, limit)
  for (const name of connectedTo(client, models, model)) affected.addModel(name, 'unknown')
  return affected.isEmpty
    ? undefined
    : { model, idFields: [], affected, lookUps: [], mode: 'plain', changes: {} }
}

/** The models that a query may write itself. Whatever looks like a relation field, at any depth, counts as one. */
function modelsIn(models: DataModel, name: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => modelsIn(models, name, item))
  if (!isPlain(value)) return [name]
  const relations = models.get(name)?.relations
  const inner = Object.entries(value).flatMap(([key, item]) =>
    modelsIn(models, relations?.get(key)?.target ?? name, item),
  )
  return [name, ...inner]
}

/** Follows all relations, of the schema and of the client, in both directions. */
function connectedTo(client: object, models: DataModel, model: string): ReadonlySet<string> {
  const edges = [
    ...Object.entries(runtimeModelsOf(client)).flatMap(([from, { fields }]) =>
      fields.filter(({ kind }) => kind === 'object').map(({ type }) => [from, type]),
    ),
    ...[...models].flatMap(([from, { children }]) => children.map((child) => [from, child.model])),
  ]
  const connected = new Set([model])
  // A set also visits what is added meanwhile.
  for (const name of connected) {
    for (const edge of edges) if (edge.includes(name)) for (const end of edge) connected.add(end)
  }
  return connected
}
