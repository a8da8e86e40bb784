import { AffectedRows } from '../../affected-rows.js'
import { isPlain } from '../../plain.js'
import type { Models } from '../../schema-facts.js'
import type { HookCall } from '../internals.js'
import { UnknownWriteError } from './literals.js'
import { planWrite } from './plan-write.js'
import type { WritePlanning } from './planning.js'
import type { WritePlan } from './write-plan.js'

/** What is known of a write before it runs. */
export type PlannedQuery = Pick<HookCall, 'model' | 'operation' | 'args' | 'isComplete'>

/**
 * Creates the planner for the writes of a client. A write whose arguments do not show everything that Prisma reads in them counts as a
 * write to all rows of every model that relations connect its model to. So does one to a model that has a `problem`, or with a nested
 * write to one. All others are planned exactly.
 */
export function createPlanner(planning: WritePlanning): (query: PlannedQuery) => WritePlan | undefined {
  const { models } = planning
  const hasProblems = [...models.values()].some(({ problem }) => problem)
  return ({ args, isComplete, model, operation }) => {
    const isPlannable =
      isComplete &&
      !(hasProblems && [...writtenModelsIn(models, model, args)].some((name) => models.get(name)?.problem))
    try {
      if (isPlannable) return planWrite(planning, model, operation, args)
    } catch (error) {
      if (!(error instanceof UnknownWriteError)) throw error
    }
    return planConservatively(planning, model)
  }
}

function planConservatively(
  { models, coordinator, limit }: WritePlanning,
  model: string,
): WritePlan | undefined {
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
        furtherRows: [],
        mode: 'plain',
        isOneStatement: false,
        changes: {},
      }
}

/** The models that a query may write itself. Anything that looks like a relation field, at any depth, counts as one. */
function writtenModelsIn(models: Models, model: string, args: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(name, item)
    else {
      found.add(name)
      if (!isPlain(value)) return
      const relations = models.get(name)?.relations
      for (const key of Object.keys(value)) visit(relations?.get(key)?.target ?? name, value[key])
    }
  }
  visit(model, args)
  return found
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
