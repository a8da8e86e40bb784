import type { Args } from '../internals.js'
import { listOf, UnknownWriteError } from './literals.js'
import { PlanBuilder } from './plan-builder.js'
import type { WritePlanning } from './planning.js'
import type { WritePlan } from './write-plan.js'

/**
 * Plans a query. Returns undefined if it writes nothing that is cached.
 *
 * @throws UnknownWriteError
 */
export function planWrite(
  planning: WritePlanning,
  name: string,
  operation: string,
  args: Args,
): WritePlan | undefined {
  const model = planning.models.get(name)
  if (!model) throw new UnknownWriteError()
  const plan = new PlanBuilder(planning, model)
  switch (operation) {
    case 'create':
      plan.create(args.data, plan.root)
      break
    case 'createMany':
    case 'createManyAndReturn':
      plan.createMany(operation, listOf(args.data))
      break
    case 'update':
      plan.update(args.where, args.data, plan.root)
      break
    case 'upsert':
      plan.update(args.where, args.update, plan.root)
      plan.create(args.create, plan.root)
      break
    case 'delete':
      plan.delete(args.where)
      break
    case 'updateMany':
    case 'updateManyAndReturn':
      plan.updateMany(operation, args)
      break
    case 'deleteMany':
      plan.deleteMany(args)
      break
    default:
      // An operation that a later Prisma has added.
      throw new UnknownWriteError()
  }
  return plan.isEmpty ? undefined : plan
}
