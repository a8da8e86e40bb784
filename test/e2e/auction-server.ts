import { randomUUID } from 'node:crypto'
import type { LoggerService } from '@nestjs/common'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { Registry } from 'prom-client'
import type { PrismaClient } from '#prisma/client/client.js'
import { openDatabase } from '#prisma/database.js'
import type { AppConfig } from '../../apps/auction/src/config/app-config.js'
import { createApp } from '../../apps/auction/src/create-app.js'
import { createDemoDatabase } from '../support/demo-database.js'
import { patientMs } from '../support/patience.js'
import { valkeyUrl } from '../support/servers.js'
import type { TestDatabase } from '../support/test-database.js'

export interface GraphqlAnswer {
  status: number
  // eslint-disable-next-line typescript/no-explicit-any -- each test knows the shape of its query
  data: any
  errors?: { message: string; path?: string[]; extensions?: Record<string, unknown> }[]
}

/** The application on a real port, with its own PostgreSQL database and the shared Valkey. */
export interface AuctionServer {
  readonly url: string
  readonly config: AppConfig
  readonly app: NestFastifyApplication
  /** A plain client of the application's database, without cache invalidation. */
  readonly prisma: PrismaClient
  graphql(query: string, variables?: Record<string, unknown>): Promise<GraphqlAnswer>
  /** Sums a counter over all series with these labels; '' for one that they do not have. */
  counter(name: string, labels?: Record<string, string>): Promise<number>
  close(): Promise<void>
}

export interface AuctionSurroundings {
  /** Creates a database with the rows of the demo. @default on the PostgreSQL of the test run, which writes no logical log */
  readonly createDatabase?: () => Promise<TestDatabase>
  /** Receives the log from the start of the server on. */
  readonly logger?: LoggerService
}

export async function startAuction(
  changes: Partial<AppConfig> = {},
  { createDatabase = createDemoDatabase, logger }: AuctionSurroundings = {},
): Promise<AuctionServer> {
  const { url: databaseUrl, drop } = await createDatabase()
  const database = await openDatabase({ url: databaseUrl })
  const prisma = new database.Client({ adapter: database.adapter })

  const config: AppConfig = {
    production: true,
    host: '127.0.0.1',
    port: 0,
    databaseUrl,
    valkey: { url: valkeyUrl(), deadlineMs: patientMs },
    drainMs: 0,
    // Servers share Valkey, and their rows have the same ids.
    cacheNamespace: `e2e-${randomUUID()}`,
    bursts: true,
    logLevel: 'silent',
    metrics: new Registry(),
    ...changes,
  }
  const app = await createApp(config)
  if (logger) app.useLogger(logger)
  await app.listen(0, '127.0.0.1')
  const url = await app.getUrl()

  return {
    url,
    config,
    app,
    prisma,
    async graphql(query, variables) {
      const response = await post(url, JSON.stringify({ query, variables }))
      return { status: response.status, ...((await response.json()) as Omit<GraphqlAnswer, 'status'>) }
    },
    counter: async (name, labels = {}) => sum(await (await fetch(`${url}/metrics`)).text(), name, labels),
    async close() {
      await app.close()
      await prisma.$disconnect()
      await database.close()
      await drop()
    },
  }
}

export function post(url: string, body: string, contentType = 'application/json'): Promise<Response> {
  return fetch(`${url}/graphql`, { method: 'POST', headers: { 'content-type': contentType }, body })
}

/** Parses the text format of Prometheus. */
function sum(metrics: string, name: string, labels: Record<string, string>): number {
  const wanted = Object.entries(labels)
  let total = 0
  for (const line of metrics.split('\n')) {
    const has = ([label, value]: [string, string]): boolean =>
      value === '' ? !line.includes(`${label}="`) : line.includes(`${label}="${value}"`)
    if (line.startsWith(`${name}{`) && wanted.every(has)) {
      total += Number(line.slice(line.lastIndexOf(' ')))
    }
  }
  return total
}
