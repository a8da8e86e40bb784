import { isPlain } from '../../plain.js'
import type { Model } from '../../schema-facts.js'
import type { Args } from '../internals.js'
import type { PlannedQuery } from './create-planner.js'
import { hasRelations } from './literals.js'
import type { WritePlanning } from './planning.js'

/** Whether Prisma may select rows before it writes, on a database that returns the rows of a write. */
export function readsFirst(
  { models }: WritePlanning,
  { args, model: name, operation }: PlannedQuery,
): boolean {
  const model = models.get(name)
  if (!model) return true
  const { create, data, update, where } = args
  const isNested = (written: unknown): boolean => isPlain(written) && hasRelations(model, written)
  switch (operation) {
    case 'create':
    case 'update':
      return isNested(data)
    case 'upsert':
      return (
        isNested(create) || isNested(update) || !namesOwnKey(where, create) || returnsRelations(model, args)
      )
    case 'delete':
      return returnsRelations(model, args)
    default:
      return false
  }
}

/** Whether the row of an upsert has the key that it is found by. Then the database finds it by the conflict of an INSERT. */
function namesOwnKey(where: unknown, create: unknown): boolean {
  if (!isPlain(where) || !isPlain(create)) return false
  const [entry, ...others] = Object.entries(where)
  if (!entry || others.length > 0) return false
  const [name, value] = entry
  const key = isPlain(value) ? value : { [name]: value }
  return Object.entries(key).every(([field, one]) => create[field] === one)
}

function returnsRelations({ relations }: Model, { include, select }: Args): boolean {
  return Object.keys({ ...(include as object), ...(select as object) }).some(
    (name) => relations.has(name) || name === '_count',
  )
}
