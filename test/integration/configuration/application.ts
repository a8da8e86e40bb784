import { randomUUID } from 'node:crypto'
import type { LoggerService } from '@nestjs/common'
import { Test, type TestingModule } from '@nestjs/testing'
import { type } from 'arktype'
import { type CacheOf, getModelCacheToken, type ModelCacheModuleOptions, modelCaches } from 'model-cache'
import { Registry } from 'prom-client'
import { type GuestUser, PrismaClient } from '#prisma/client/client.js'
import { openDatabase } from '#prisma/database.js'
import { applyMigrations } from '#prisma/migrate.js'
import { eventually } from '../../support/eventually.js'
import { patientMs } from '../../support/patience.js'
import { createDatabase, valkeyUrl } from '../../support/servers.js'

type Imports = NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>
type Providers = NonNullable<Parameters<typeof Test.createTestingModule>[0]['providers']>

/** The guests of the demo, with a schema by hand. */
export const guest = {
  model: 'GuestUser',
  schema: type({ id: 'string', name: 'string', email: 'string', createdAt: 'Date' }),
  id: 'id',
  ttl: '1m',
} as const
export const guests = modelCaches().defineModelCache<GuestUser>()(guest)

/** What an application logs, warnings and errors apart. */
export class RecordingLogger implements LoggerService {
  readonly logged: string[] = []
  readonly warned: string[] = []
  log(message: string): void {
    this.logged.push(message)
  }
  warn(message: string): void {
    this.warned.push(message)
  }
  error(): void {}
}

export interface Started {
  readonly app: TestingModule
  readonly logger: RecordingLogger
  cache<Definition extends { readonly name: string }>(
    definition: Definition,
    root?: string,
  ): CacheOf<Definition>
}

/** Starts an application and records what it logs. */
export async function start(imports: Imports, providers: Providers = []): Promise<Started> {
  const logger = new RecordingLogger()
  const app = await Test.createTestingModule({ imports, providers }).setLogger(logger).compile()
  await app.init()
  return { app, logger, cache: (definition, root) => app.get(getModelCacheToken(definition, root)) }
}

/** What is warned of at the start, without what every test server would be warned of. */
export async function warningsOf(imports: Imports, providers?: Providers): Promise<readonly string[]> {
  const { app, logger } = await start(imports, providers)
  await app.close()
  return logger.warned
}

/** Why an application does not start. */
export async function failureOf(imports: Imports, providers?: Providers): Promise<Error & { code?: string }> {
  try {
    const { app } = await start(imports, providers)
    await app.close()
  } catch (error) {
    return error as Error
  }
  throw new Error('the application started')
}

/** A PostgreSQL with the tables of the demo, and the plain client of it. */
export async function openPrisma(): Promise<{
  prisma: PrismaClient
  /** Another plain client of the same database. */
  another: () => PrismaClient
  /** Of the database. */
  url: string
  close: () => Promise<void>
}> {
  const { url, drop } = await createDatabase()
  const database = await openDatabase({ url })
  await database.withSession(applyMigrations)
  const clients: PrismaClient[] = []
  const another = (): PrismaClient => {
    const client = new PrismaClient({ adapter: database.adapter })
    clients.push(client)
    return client
  }
  const prisma = another()
  const close = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.$disconnect()))
    await database.close()
    await drop()
  }
  return { prisma, another, url, close }
}

/** Reads a row until the store has it. */
export function untilStored(
  cache: {
    get(id: never): Promise<unknown>
    explain(id: never): Promise<{ readonly stored: { readonly isHit: boolean } }>
  },
  id: unknown,
): Promise<void> {
  return eventually(async () => {
    await cache.get(id as never)
    return (await cache.explain(id as never)).stored.isHit
  })
}

/** Options of a run of its own: its keys, its metrics. */
export function ownOptions(): { namespace: string } & ModelCacheModuleOptions {
  return {
    valkey: { url: valkeyUrl(), deadlineMs: patientMs },
    namespace: `configuration-${randomUUID()}`,
    registry: new Registry(),
  }
}
