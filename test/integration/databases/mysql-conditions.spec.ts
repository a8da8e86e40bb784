/** Conditions of MySQL that may match other rows when they are read again: by relations, with a limit. */
import { captured, extendPrisma } from 'model-cache'
import { describeOn } from '../../support/describe-databases.js'
import { heardAdapter } from '../../support/heard-adapter.js'
import { PrismaClient } from '../differential/derived/mysql/client.js'
import { type MysqlFixture, openMysqlFixture } from './mysql-fixture.js'

const [ann, bob] = [71, 72]
const posts = [
  { id: 81n, slug: 'a', authorId: ann },
  { id: 82n, slug: 'b', authorId: ann },
  { id: 83n, slug: 'c', authorId: bob },
  { id: 84n, slug: 'd', authorId: bob },
]
const where = { author: { name: 'Ann' } }

describeOn(['mysql'], 'writes on $name by a condition that may match other rows the next time', (kind) => {
  let fixture: MysqlFixture
  let prisma: PrismaClient
  /** What another connection does before the UPDATE of posts is sent. */
  let meanwhile: string | undefined
  beforeAll(async () => {
    fixture = await openMysqlFixture(kind.name)
    const sent = async (sql: string): Promise<void> => {
      const statement = meanwhile
      if (statement === undefined || !/^(?:UPDATE|DELETE).*`Post`/.test(sql)) return
      meanwhile = undefined
      await fixture.database.run(statement)
    }
    // Below the library, so that its own questions are heard as well.
    const adapter = captured(heardAdapter(fixture.database.adapter(2), { sent }))
    prisma = extendPrisma(new PrismaClient({ adapter }), fixture.recorder)
  })
  beforeEach(async () => {
    const { plain, recorder, refill } = fixture
    await refill()
    const people = [
      { id: ann, name: 'Ann' },
      { id: bob, name: 'Bob' },
    ]
    await plain.account.createMany({ data: people.map((one) => ({ ...one, email: `${one.name}@x.org` })) })
    await plain.post.createMany({ data: posts })
    recorder.caches = { Label: [['name']], Post: [['id']] }
    recorder.look = async () => undefined
    await recorder.take()
    meanwhile = undefined
  })
  afterAll(async () => {
    await prisma.$disconnect()
    await fixture.close()
  })

  const marksOf = async (work: PromiseLike<unknown>): Promise<string | undefined> => {
    await work
    return (await fixture.recorder.take())[0]
  }
  const marked = (...ids: number[]): string =>
    `markWritten Post ${ids.map((id) => `{"id":"${id}"}`).join(' ')}`
  const all = 'markWritten all Post: unbounded'
  const data = { title: 'new' }

  it('fence the rows that they have changed', async () => {
    expect(await marksOf(prisma.post.updateMany({ where, data }))).toBe(marked(81, 82))
    expect(
      await marksOf(
        prisma.post.updateMany({ where: { NOT: where, id: { in: [83n, 1_000n] } }, data: { id: 93n } }),
      ),
    ).toBe(marked(83, 93))
    expect(
      await marksOf(prisma.post.updateMany({ where: { id: { gt: 90 } }, data: { title: 'one' }, limit: 1 })),
    ).toBe(marked(93))
    expect(await marksOf(prisma.post.deleteMany({ where }))).toBe(marked(81, 82))
  })

  it('mark all rows if some of them are what they were, as the condition may have matched others', async () => {
    await fixture.plain.post.update({ where: { id: 82n }, data })
    expect(await marksOf(prisma.post.updateMany({ where, data }))).toBe(all)
  })

  /** As many match as before, but others. */
  const swap = `UPDATE accounts SET name = IF(name = 'Ann', 'Bob', 'Ann') WHERE id IN (${ann}, ${bob})`
  const isolationLevel = 'RepeatableRead'

  it.each([
    ['alone', (work: (tx: Pick<PrismaClient, 'post'>) => Promise<unknown>) => work(prisma)],
    [
      'in a transaction that has read before',
      (work: (tx: Pick<PrismaClient, 'post'>) => Promise<unknown>) =>
        prisma.$transaction(
          async (tx) => {
            await tx.account.findFirst()
            await work(tx)
          },
          { isolationLevel },
        ),
    ],
  ])('fence no others than they write if these change meanwhile, %s', async (_, run) => {
    meanwhile = swap
    expect(await marksOf(run((tx) => tx.post.updateMany({ where, data })))).toBe(all)
    expect(await fixture.plain.post.count({ where: { id: { in: [83n, 84n] }, ...data } })).toBe(2)
    meanwhile = swap
    const marks = await marksOf(run((tx) => tx.post.deleteMany({ where })))
    expect(marks).toMatch(/^markWritten all Post: (?:unbounded|unknown)$/)
    expect(await fixture.plain.post.count({ where: { id: { in: [81n, 82n] } } })).toBe(0)
  })

  it('fence the rows that they delete together with others of their table', async () => {
    await fixture.plain.label.createMany({
      data: [{ name: 'a1' }, { name: 'b2', parentName: 'a1' }, { name: 'c3', parentName: 'b2' }],
    })
    const names = { name: { in: ['a1', 'b2', 'c3'] }, colour: { contains: 'r' } }
    const [{ version }] = (await fixture.database.rows('SELECT VERSION() AS version')) as [
      { version: string },
    ]
    const marks = await marksOf(prisma.label.deleteMany({ where: names }))
    if (version.includes('MariaDB'))
      expect(marks).toMatch(/^markWritten Label (?:\{"name":"(?:a1|b2|c3)"\} ?)+$/)
    else expect(marks).toMatch(/^markWritten (?:all )?Label/)
  })

  it('fence nothing if a constraint has the database undo them, and their transaction goes on', async () => {
    await prisma.$transaction(async (tx) => {
      const taken = tx.post.updateMany({ where: { ...where, id: { gt: 80 } }, data: { slug: 'same' } })
      await expect(taken).rejects.toMatchObject({ code: 'P2002' })
    })
    expect(await fixture.recorder.take()).toEqual([])
  })

  it('fence rows of a table without transactions before they write them, and whatever becomes of them', async () => {
    // MySQL allows shorter keys there.
    const keysOf = (length: number): string =>
      `MODIFY scope VARCHAR(${length}), MODIFY \`key\` VARCHAR(${length}) NOT NULL`
    await fixture.database.run(`ALTER TABLE Setting ${keysOf(60)}, ENGINE = MyISAM`)
    await fixture.plain.setting.create({ data: { id: 70, scope: 'kept', key: 'k', value: 1 } })
    fixture.recorder.look = async () =>
      (await fixture.plain.setting.findUniqueOrThrow({ where: { id: 70 } })).value
    const kept = extendPrisma(new PrismaClient({ adapter: fixture.database.adapter(1) }), fixture.recorder)
    fixture.recorder.caches = { Setting: [['id']] }
    const allSettings = 'markWritten all Setting: unknown'
    await kept.setting.updateMany({ where: { scope: 'kept' }, data: { value: 2 } })
    expect(await fixture.recorder.take()).toEqual([allSettings, 'fence seeing 1', 'end seeing 2'])
    const undone = kept.$transaction(async (tx) => {
      await tx.setting.update({ where: { id: 70 }, data: { value: 3 } })
      const taken = tx.setting.updateMany({
        where: { id: { gt: 0 } },
        data: { scope: 's', key: 'k', value: 4 },
      })
      await expect(taken).rejects.toMatchObject({ code: 'P2002' })
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    const [one, before, ...others] = await fixture.recorder.take()
    expect([one, before]).toEqual(['markWritten Setting {"id":70}', 'fence seeing 2'])
    expect(others.slice(0, 2)).toEqual([allSettings, 'fence seeing 3'])
    fixture.recorder.look = async () => undefined
    await kept.$disconnect()
    await fixture.database.run(`ALTER TABLE Setting ${keysOf(191)}, ENGINE = InnoDB`)
  })
})
