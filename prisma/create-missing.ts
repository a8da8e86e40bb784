import type { Database } from './opened-database.js'

/** What {@link createMissing} needs of the delegate of a model. */
interface Delegate<Input> {
  createMany(query: { data: Input[]; skipDuplicates?: boolean }): PromiseLike<unknown>
  findMany(query: {
    where: { id: { in: string[] } }
    select: { id: true }
  }): PromiseLike<readonly { id: string }[]>
}

/** Creates the rows whose ids no row has. Prisma has no `skipDuplicates` for SQLite, which has one writer at a time. */
export async function createMissing<Input extends { id?: string }>(
  delegate: Delegate<Input>,
  rows: readonly Input[],
  kind: Database['kind'],
): Promise<void> {
  if (kind !== 'sqlite') return void (await delegate.createMany({ data: [...rows], skipDuplicates: true }))
  const found = await delegate.findMany({
    where: { id: { in: rows.map(({ id }) => id!) } },
    select: { id: true },
  })
  const existing = new Set(found.map(({ id }) => id))
  await delegate.createMany({ data: rows.filter(({ id }) => !existing.has(id!)) })
}
