/** Counts what each kind of write sends to a database, with the library and without it. */
import { extendPrisma } from 'model-cache'
import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import type { DatabaseKind } from '../../support/databases.ts'
import { patientTransactions } from '../../support/patience.ts'
import type { PrismaClient } from '../differential/client/client.ts'
import { dialectNamed } from '../differential/dialects/dialects.ts'
import { RecordingCoordinator } from '../writes/recording-coordinator.ts'

type Client = Pick<PrismaClient, 'setting' | 'label' | 'profile'>

const where = { scope_key: { scope: 's', key: 'k' } }
const row = { scope: 's', key: 'k' }

/** Each begins with the rows of `reset`. */
export const writes: Readonly<Record<string, (prisma: Client) => PromiseLike<unknown>>> = {
  '`create` with an id': (prisma) => prisma.setting.create({ data: { id: 90, key: 'new' } }),
  '`create`, the database generates the id': (prisma) => prisma.setting.create({ data: { key: 'new' } }),
  '`createMany`, the database generates ids': (prisma) =>
    prisma.setting.createMany({ data: [{ key: 'new' }, { key: 'newer' }] }),
  '`update` by id': (prisma) => prisma.setting.update({ where: { id: 101 }, data: { value: 1 } }),
  '`update` by an id of text': (prisma) =>
    prisma.label.update({ where: { name: 'l3' }, data: { colour: 'new' } }),
  '`update` by another key': (prisma) => prisma.setting.update({ where, data: { value: 1 } }),
  '`update` that changes the id, by another key': (prisma) =>
    prisma.setting.update({ where, data: { id: 91 } }),
  '`upsert` by id': (prisma) =>
    prisma.setting.upsert({ where: { id: 101 }, update: { value: 1 }, create: { id: 101, ...row } }),
  '`delete` by id': (prisma) => prisma.setting.delete({ where: { id: 101 } }),
  '`delete` by another key': (prisma) => prisma.setting.delete({ where }),
  '`updateMany` by ids': (prisma) =>
    prisma.setting.updateMany({ where: { id: { in: [101, 102] } }, data: { value: 1 } }),
  '`updateMany` by a condition': (prisma) =>
    prisma.setting.updateMany({ where: { scope: 's' }, data: { value: 1 } }),
  '`deleteMany` by a condition': (prisma) => prisma.setting.deleteMany({ where: { scope: 's' } }),
  '`delete` with rows below it': (prisma) => prisma.profile.delete({ where: { accountId: 1 } }),
  'a nested `deleteMany`': (prisma) =>
    prisma.profile.update({ where: { accountId: 1 }, data: { badges: { deleteMany: { label: 'none' } } } }),
}

/** The statements of each write, as a cell: `1`, or `1 → 5` if the library sends more. */
export async function countStatements({ create, name }: DatabaseKind): Promise<readonly string[]> {
  const dialect = dialectNamed(name)
  const database = await create()
  await database.run(dialect.tables())
  const rows = database.url.startsWith('mysql') ? reset.replaceAll('"', '`') : reset
  const sent = { count: 0 }
  const ClientClass = await dialect.client()
  const clientOf = () =>
    new ClientClass({
      adapter: counting(database.adapter(2), sent),
      transactionOptions: patientTransactions,
    }) as PrismaClient
  const [plain, client] = [clientOf(), clientOf()]
  const recorder = new RecordingCoordinator()
  recorder.caches = { Setting: [['id']], Label: [['name']], Profile: [['accountId']], Badge: [['id']] }
  const extended = extendPrisma(client, recorder)
  const cells: string[] = []
  for (const write of Object.values(writes)) {
    const counts: number[] = []
    for (const each of [plain, extended]) {
      // The first write of a table asks the database about it.
      for (let time = 0; time < 2; time++) {
        await database.run(rows)
        sent.count = 0
        await write(each)
      }
      counts.push(sent.count)
    }
    cells.push([...new Set(counts)].join(' → '))
  }
  await recorder.ended()
  await Promise.all([plain.$disconnect(), client.$disconnect()])
  await database.drop()
  return cells
}

const reset = `
DELETE FROM "Label"; INSERT INTO "Label" ("name") VALUES ('l3');
DELETE FROM "Setting"; INSERT INTO "Setting" ("id", "scope", "key") VALUES (101, 's', 'k'), (102, 's', 'l');
DELETE FROM "Badge"; DELETE FROM "Profile"; DELETE FROM "accounts";
INSERT INTO "accounts" ("id", "email", "token", "seenAt", "updated_at")
  VALUES (1, 'a@x.org', '5eed0000-0000-4000-a000-000000000001', '2025-01-01', '2025-01-01');
INSERT INTO "Profile" ("accountId") VALUES (1); INSERT INTO "Badge" ("label", "profileId") VALUES ('some', 1);`

/** Counts what goes to the database: statements, BEGIN and COMMIT, and what sets the level of a transaction. */
function counting(factory: SqlDriverAdapterFactory, sent: { count: number }): SqlDriverAdapterFactory {
  const counted = <T extends object>(target: T, methods: readonly (keyof T)[]): T => {
    for (const method of methods) {
      const call = (target[method] as (...args: unknown[]) => unknown).bind(target)
      target[method] = ((...args: unknown[]) => {
        sent.count++
        return call(...args)
      }) as T[keyof T]
    }
    return target
  }
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const adapter = counted(await factory.connect(), ['queryRaw', 'executeRaw'])
      const start = adapter.startTransaction.bind(adapter)
      adapter.startTransaction = async (level) => {
        sent.count += level === undefined ? 1 : 2
        const transaction = await start(level)
        // Otherwise Prisma sends COMMIT as a statement.
        const commits = transaction.options.usePhantomQuery ? (['commit'] as const) : []
        return counted(transaction, ['queryRaw', 'executeRaw', ...commits])
      }
      return adapter
    },
  } as SqlDriverAdapterFactory
}
