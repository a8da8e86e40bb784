import { invalidIdFieldError, invalidSelectionError, unknownModelError } from '../../configuration-errors.js'
import { createLoadSource } from '../load-source.js'
import type { SchemaFacts } from '../schema-facts.js'
import type { Source } from '../source.js'
import { asOwnQuery } from '../own-queries.js'
import { hasQueryHooks, readsReplicas } from './client-extensions.js'
import { isTransactionFor, readsReplica } from './extended-clients.js'
import { capitalized } from '../capitalized.js'
import { HookedLoads } from './hooked-loads.js'
import {
  bareClientOf,
  delegateNameOf,
  isIntercepted,
  isInvalidQuery,
  untouchedClientOf,
} from './internals.js'
import { maxIdsOf } from './max-ids.js'
import { isAnswering } from './reads/answer-reads.js'
import { watchLoadOf } from './shared-connection.js'
import { schemaFactsOf } from './schema/describe-schema.js'

export interface PrismaSourceOptions {
  /** The cache's name, for messages. */
  readonly name: string
  /** The Prisma model, as in the schema: `'AuctionItem'`. */
  readonly model: string
  readonly idFields: readonly string[]
  readonly select?: object
  readonly include?: object
  /** A client of the primary, if the other one reads from a standby. */
  readonly primary?: object | undefined
}

/** What the source uses of a Prisma model delegate. */
interface Delegate {
  findMany(query: object): Promise<readonly unknown[]>
}

/**
 * Loads rows with `findMany … in` on a model delegate of a Prisma client.
 *
 * @throws ConfigurationError
 */
export function createPrismaSource<Row, Id>(client: object, options: PrismaSourceOptions): Source<Row, Id> {
  const own = delegateOf(client, options)
  // Hooks run for each query that is answered, so its rows must be as the database has them.
  let bare: Delegate | undefined
  const hooked = hookedLoadsOf(client, options)
  const whereOf = whereBuilder<Id>(options.idFields)
  const shape = shapeOf(options)
  const find = (delegate: Delegate, query: Query) => async (): Promise<Row[]> =>
    (await delegate.findMany({ ...query, ...shape })) as Row[]
  const send = (by: 'byIds' | 'byLookup', query: Query, transaction?: object): Promise<Row[]> => {
    if (transaction) return asOwnQuery(find(delegateOf(transaction, options), query))
    if (isAnswering(client, options))
      return asOwnQuery(find((bare ??= delegateOf(untouchedClientOf(client), options)), query))
    return hooked ? hooked[by](query, find(own, query)) : asOwnQuery(find(own, query))
  }
  const isOfReplica = readsReplica(client)
  const mayReadReplicas = readsReplicas(client)
  const facts = schemaFactsOf(client)
  return {
    facts: knownOf(facts),
    maxIds: maxIdsOf(options.idFields.length),
    load: (ids, transaction) => send('byIds', { where: whereOf(ids) }, transaction),
    find: (query, transaction) => send('byLookup', query, transaction),
    isOwnTransaction: isTransactionFor(client),
    isFromReplicas: () => isOfReplica || (mayReadReplicas && !isAnswering(client, options)),
    primary: options.primary && bareClientOf(options.primary),
    watchLoad: watchLoadOf(client),
    ...canonicalIds(facts, options.model, options.idFields),
    mayBlameOneId,
  }
}

/** A client of something else than Prisma has no schema. */
function knownOf(facts: SchemaFacts): SchemaFacts | undefined {
  return facts.models.size > 0 ? facts : undefined
}

/** Returns undefined if no hook of the client sees the loads, or if nobody can see what it makes of them. */
function hookedLoadsOf(client: object, options: PrismaSourceOptions): HookedLoads | undefined {
  const { model, name } = options
  if (!isIntercepted(client) || !hasQueryHooks(client, model, 'findMany')) return undefined
  const scalars = schemaFactsOf(client).models.get(model)?.scalars
  return new HookedLoads({ name, model, client, isOwnField: (field) => scalars?.has(field) ?? false })
}

/** What a load asks for. */
interface Query {
  readonly where: object
}

/**
 * Loads rows with a function of yours, through a Prisma client. Reads inside a transaction of the client load through the
 * transaction.
 */
export function createPrismaLoadSource<Row, Id>(
  load: (client: never, ids: readonly Id[]) => Promise<readonly Row[]> | readonly Row[],
  client: object,
  { model, idFields, primary }: PrismaSourceOptions,
): Source<Row, Id> {
  const facts = schemaFactsOf(client)
  return {
    ...createLoadSource(load, client, isTransactionFor(client)),
    facts: knownOf(facts),
    isFromReplicas: () => readsReplica(client) || readsReplicas(client),
    primary: primary && bareClientOf(primary),
    watchLoad: watchLoadOf(client),
    ...canonicalIds(facts, model, idFields),
  }
}

/**
 * Checks that the client has the id and the selection, by queries that do not reach the database, and that the id is unique.
 *
 * @throws ConfigurationError
 */
export function verifyPrismaSource(client: object, options: PrismaSourceOptions): Promise<void> {
  return asOwnQuery(() => verify(client, options))
}

async function verify(client: object, options: PrismaSourceOptions): Promise<void> {
  const delegate = delegateOf(client, options)
  const { name, model, idFields, select } = options
  const unselected = select && idFields.find((field) => !(select as Record<string, unknown>)[field])
  if (unselected) {
    throw invalidSelectionError(name, `\`select\` leaves out the id field "${unselected}"; add it.`)
  }
  const shape = await refusalOf(() => delegate.findMany({ ...shapeOf(options), take: 0 }))
  if (shape) throw invalidSelectionError(name, `Prisma refuses its select or include: ${shape}`)

  const where = Object.fromEntries(idFields.map((field) => [field, { in: [] }]))
  const lookUp = await refusalOf(() => delegate.findMany({ where, take: 0 }))
  if (lookUp) throw invalidIdFieldError(name, idFields, `cannot be looked up in ${model}: ${lookUp}`)

  const { nullableKeys = [], problem, uniqueKeys = [] } = schemaFactsOf(client).models.get(model) ?? {}
  const keys = [...uniqueKeys, ...nullableKeys]
  const isId = (fields: readonly string[]): boolean =>
    fields.length === idFields.length && fields.every((field) => idFields.includes(field))
  if (problem === undefined && keys.length > 0 && !keys.some(([, fields]) => isId(fields))) {
    const list = idFields.join(', ')
    throw invalidIdFieldError(
      name,
      idFields,
      `is not unique in ${model}, so one id could mean several rows; unique are ${keys.map(([key]) => key).join(', ')}. ` +
        `Add ${idFields.length === 1 ? '@id or @unique to it' : `@@id([${list}]) or @@unique([${list}])`}, ` +
        `choose another id, or give a \`load\` function.`,
    )
  }
}

/** Prisma's reason for refusing a query as invalid; undefined if it would run it. */
async function refusalOf(query: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await query()
  } catch (error) {
    if (isInvalidQuery(error)) return (error as Error).message.trimEnd().split('\n').at(-1)
  }
  return undefined
}

/** The delegate of a model: `client.auctionItem` for `AuctionItem`. */
function delegateOf(client: object, { name, model }: PrismaSourceOptions): Delegate {
  const found = delegateIn(client, delegateNameOf(model))
  if (found) return found
  const known: string[] = []
  // Includes inherited members: an extended client has its base client as prototype.
  for (const key in client) if (delegateIn(client, key)) known.push(key)
  throw unknownModelError(name, model, known.map(capitalized))
}

/** Names of models begin with a letter; extensions add members such as `$reports`. */
function delegateIn(client: object, member: string): Delegate | undefined {
  const found = (client as Record<string, Delegate | undefined>)[member]
  return typeof found?.findMany === 'function' && /^[a-z]/i.test(member) ? found : undefined
}

function shapeOf({ select, include }: PrismaSourceOptions): object {
  return { ...(select && { select }), ...(include && { include }) }
}

function whereBuilder<Id>(idFields: readonly string[]): (ids: readonly Id[]) => object {
  const [field, ...others] = idFields
  if (others.length === 0) return (ids) => ({ [field!]: { in: ids } })
  // An id may be any object that has the fields, for example a whole row.
  const pick = (id: Id): object =>
    Object.fromEntries(idFields.map((name) => [name, (id as Record<string, unknown>)[name]]))
  return (ids) => ({ OR: ids.map(pick) })
}

/** P2xxx are errors of a query, except P2024 and P2037: they are about connections. All other errors are the database's own. */
function mayBlameOneId(error: unknown): boolean {
  if (isInvalidQuery(error)) return true
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' && /^P2\d{3}$/.test(code) && code !== 'P2024' && code !== 'P2037'
}

/** How the database spells the ids of a model, as a {@link Source} says it. */
export function canonicalIds<Id>(
  { models }: SchemaFacts,
  model: string,
  idFields: readonly string[],
): Pick<Source<unknown, Id>, 'isCanonical' | 'canonicalOf'> {
  const scalars = models.get(model)?.scalars
  const columns = idFields.flatMap((field) => scalars?.get(field) ?? [])
  if (columns.length < idFields.length) return {}
  const [column, ...others] = columns
  if (others.length === 0) {
    const { canonicalOf, isCanonical } = column!
    return { isCanonical, canonicalOf: canonicalOf as (id: Id) => Id | undefined }
  }
  return {
    isCanonical: (id) =>
      columns.every(({ isCanonical, name }) => isCanonical((id as Record<string, unknown>)[name])),
    canonicalOf(id) {
      const values = columns.map(
        ({ canonicalOf, name }) => [name, canonicalOf((id as Record<string, unknown>)[name])] as const,
      )
      return values.every(([, value]) => value !== undefined) ? (Object.fromEntries(values) as Id) : undefined
    },
  }
}
