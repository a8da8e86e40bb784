/** One process of sqlite-pods.deep.spec.ts: reads rows from a cache, and writes them in many ways, until the message "stop". */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type } from 'arktype'
import { machineTime } from '../../torture/clock.ts'
import { sharedSqlite } from '../../support/shared-sqlite.ts'
import { PrismaClient } from '../differential/derived/sqlite/client.ts'
import { names, type PodReport, type PodSettings } from './sqlite-pods.ts'

const { extendPrisma, modelCaches, ModelCacheWrites } = await import('model-cache')
const { createModelCache, createPrismaSource, ValkeyStore } = await import('model-cache/advanced')

const { isPlain, path, valkeyUrl } = JSON.parse(process.env.POD!) as PodSettings
const adapter = sharedSqlite(path)
const store = new ValkeyStore({ url: valkeyUrl })
await store.connect()
const parts = { store, namespace: 'pods', consistency: { fenceMs: 3_000, leaseMs: 1_000 } }
const writes = new ModelCacheWrites(parts)
const client = new PrismaClient({ adapter })
const prisma = isPlain ? client : extendPrisma(client, writes)
const schema = type({ name: 'string', size: 'number' })
const definition = modelCaches().defineModelCache<typeof schema.infer>()({
  model: 'Blob',
  schema,
  id: 'name',
  ttl: '1h',
})
const select = { name: true, size: true }
const cache = createModelCache(definition, {
  ...parts,
  writes,
  source: createPrismaSource(prisma, { name: 'Blob', model: 'Blob', idFields: ['name'], select }),
})

type Row = typeof schema.infer
type Writing = Pick<PrismaClient, 'blob'>
const pick = <T,>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!
const data = { size: { increment: 1 } }
class RolledBack extends Error {}

/** Each returns the rows that it has written. */
const forms: readonly (() => Promise<readonly Row[]>)[] = [
  async () => [await prisma.blob.update({ where: { name: pick(names) }, data, select })],
  async () =>
    prisma.$transaction(
      [pick(names), pick(names)].map((name) => prisma.blob.update({ where: { name }, data, select })),
    ),
  // The rows are selected before they are written.
  async () =>
    prisma.blob.updateManyAndReturn({ where: { name: { startsWith: pick(['a', 'b', 'c']) } }, data, select }),
  async () => {
    await prisma.blob.updateMany({
      where: { name: { endsWith: String(1 + Math.floor(Math.random() * 5)) } },
      data,
    })
    return []
  },
  () => prisma.$transaction(async (tx) => inTransaction(tx)),
]

async function inTransaction(tx: Writing): Promise<readonly Row[]> {
  const where = { name: { startsWith: pick(['a', 'b', 'c']) } }
  await tx.blob.updateMany({ where, data })
  await sleep(Math.random() * 5)
  const rows = await tx.blob.findMany({ where, select })
  if (Math.random() < 0.3) throw new RolledBack()
  return rows
}

const none = (): PodReport => ({ reads: [], writes: [], errors: {}, attempts: 0 })
let report = none()
const say = (message: unknown): Promise<void> =>
  new Promise((resolve) => void process.send!(message, undefined, undefined, () => resolve()))
const sendReport = (): Promise<void> => {
  const reported = report
  report = none()
  return say(reported)
}

const over = new AbortController()
async function write(): Promise<void> {
  while (!over.signal.aborted) {
    report.attempts++
    try {
      const rows = await pick(forms)()
      const atMs = machineTime()
      for (const { name, size } of rows) report.writes.push([name, size, atMs])
    } catch (error) {
      const code = (error as { code?: string }).code ?? String(error)
      if (!(error instanceof RolledBack)) report.errors[code] = (report.errors[code] ?? 0) + 1
    }
    await sleep(Math.random() * 40)
  }
}
/** A plain client reads as often, from the file. */
const readRows = (of: readonly string[]): Promise<readonly (Row | null)[]> =>
  isPlain
    ? prisma.blob.findMany({ where: { name: { in: [...of] } }, select }).catch(() => [])
    : cache.getMany(of)

async function read(): Promise<void> {
  while (!over.signal.aborted) {
    const atMs = machineTime()
    for (const row of await readRows([pick(names), pick(names)]))
      report.reads.push([row!.name, row!.size, atMs])
    await sleep(Math.random() * 4)
  }
}
// On one connection, a write beside an open transaction is rolled back with it.
const work = [write(), read(), read(), read()]
const reporting = setInterval(() => void sendReport(), 50)
await once(process, 'message')
over.abort()
await Promise.all(work)
clearInterval(reporting)
await cache.drain()
await sendReport()
await say('done')
await once(process, 'message')
const atMs = machineTime()
const rest = await readRows(names)
report.reads.push(...rest.map((row) => [row!.name, row!.size, atMs] as const))
await sendReport()
process.exit()
