import { InvalidOptionError } from '../errors.js'
import type { WriteCoordinator } from './write-coordinator.js'
import { describeModels } from './writes/data-model.js'
import { createPlanner } from './writes/plan-blindly.js'
import type { Planning } from './writes/plan-write.js'
import { extendWith, listenOn, providerOf } from './writes/prisma-internals.js'
import { WriteRunner } from './writes/write-runner.js'

export interface ExtendPrismaOptions {
  /**
   * The most rows that one query, or one referential action, may write while they are told one by one. Above it all
   * rows of the model count as written. @default 1_000
   */
  readonly maxRows?: number
}

/** Everything that writes. Reads have no hook. */
const writes = [
  'create',
  'createMany',
  'createManyAndReturn',
  'update',
  'updateMany',
  'updateManyAndReturn',
  'upsert',
  'delete',
  'deleteMany',
] as const

/** Databases whose clients have createManyAndReturn. */
const returningCreated = new Set(['postgresql', 'postgres', 'cockroachdb', 'sqlite'])

/**
 * A client of the same type whose writes are announced to the coordinator: touched, fenced before COMMIT, settled after.
 * A write whose rows are told by its arguments runs as it is. Another one runs in a transaction, where its rows are
 * told by its result, or selected first. Raw SQL is not looked at: call `cache.invalidate` in the same transaction.
 *
 * Errors of queries reach the caller as they are. When `fence` rejects, so does the write, and it is not committed.
 * Extensions that open transactions around queries go before this one.
 *
 * @throws InvalidOptionError
 * @example
 * const prisma = extendPrisma(new PrismaClient({ adapter }), coordinator)
 * await prisma.guestUser.update({ where: { id }, data: { name } })
 */
export function extendPrisma<Client extends object>(
  client: Client,
  coordinator: WriteCoordinator,
  { maxRows = 1_000 }: ExtendPrismaOptions = {},
): Client {
  if (!isExtensible(client)) throw new InvalidOptionError('prisma', client, 'a Prisma client')
  if (!Number.isInteger(maxRows) || maxRows < 1) {
    throw new InvalidOptionError('maxRows', maxRows, 'a whole number of rows, at least 1')
  }
  const runner = createRunner(client, {
    coordinator,
    limit: maxRows,
    returnsCreated: returningCreated.has(providerOf(client)),
  })
  const extended = extendWith(client, writes, (call) => runner.run(call), {
    $transaction(this: object, work: unknown, options?: object) {
      return runner.transact(this, work, options)
    },
  })
  // Prisma takes `$on` away from clients that are extended, for good.
  const announcing = Object.create(extended, {
    $on: {
      value(this: Client, ...listener: unknown[]): Client {
        listenOn(this, listener)
        return this
      },
    },
  }) as Client
  announcingClients.add(announcing)
  return announcing
}

const announcingClients = new WeakSet<object>()

/** Whether a client is one that {@link extendPrisma} gave. */
export function isExtendedPrisma(client: object): boolean {
  return announcingClients.has(client)
}

function isExtensible(client: unknown): boolean {
  return typeof (client as { $extends?: unknown } | undefined)?.$extends === 'function'
}

function createRunner(client: object, options: Omit<Planning, 'models'>): WriteRunner {
  const planning = { ...options, models: describeModels(client) }
  return new WriteRunner(client, planning, createPlanner(client, planning))
}
