import { describeOn } from '../../support/describe-databases.js'
import { type MysqlFixture, openMysqlFixture } from './mysql-fixture.js'

describeOn(['mysql'], 'writes on $name, whose text is compared by a collation', () => {
  let fixture: MysqlFixture
  beforeAll(async () => {
    fixture = await openMysqlFixture()
  })
  beforeEach(async () => {
    await fixture.refill()
    fixture.recorder.caches = { Label: [['name']], Account: [['id']], Setting: [['id']] }
    fixture.recorder.look = async () => undefined
    await fixture.recorder.take()
  })
  afterAll(() => fixture.close())

  it.each([['L3'], ['l3 '], ['l3']])('fence the row as it is stored if they name it %j', async (name) => {
    const { prisma, recorder } = fixture
    await prisma.label.update({ where: { name }, data: { colour: 'green' } })
    expect(await recorder.take()).toEqual(['markWritten Label {"name":"l3"}', 'fence', 'end'])
    await prisma.label.updateMany({ where: { name }, data: { colour: 'grey' } })
    expect(await recorder.take()).toEqual(['markWritten Label {"name":"l3"}', 'fence', 'end'])
    await prisma.label.upsert({ where: { name }, update: { colour: 'black' }, create: { name } })
    expect(await recorder.take()).toContain('markWritten Label {"name":"l3"}')
    await prisma.label.delete({ where: { name: name.replace('3', '6') } })
    expect((await recorder.take())[0]).toMatch(/^markWritten (?:all )?Label.*(?:"l6"|cascade)/)
    await prisma.account.updateMany({ where: { email: { in: ['A2@X.ORG'] } }, data: { name: 'other' } })
    expect(await recorder.take()).toEqual(['markWritten Account {"id":2}', 'fence', 'end'])
  })

  it('fence a row whose id they spell in another way', async () => {
    const { prisma, recorder } = fixture
    recorder.caches = { Account: [['id'], ['email']] }
    await prisma.account.update({ where: { email: 'A2@x.org' }, data: { email: 'A2@X.org' } })
    const marks = (await recorder.take()).join()
    expect(marks).toMatch(/"a2@x\.org".*"A2@X\.org"|all Account/)
  })

  it('fence all rows where a row may get another id before it is written, as no lock shows its last one', async () => {
    const { prisma, recorder } = fixture
    recorder.caches = { Setting: [['id'], ['scope', 'key']] }
    const all = ['markWritten all Setting: unknown', 'fence', 'end']
    await prisma.setting.updateMany({ where: { key: 'k1' }, data: { value: 1 } })
    expect(await recorder.take()).toEqual(all)
    await prisma.setting.deleteMany({ where: { key: 'k1' } })
    expect(await recorder.take()).toEqual(all)
    await prisma.setting.delete({ where: { id: 2 } })
    expect(await recorder.take()).toEqual(all)
  })

  it('are repeated after a deadlock if the library has put the transaction around them', async () => {
    const { database, plain, prisma, recorder } = fixture
    // Tables of MyISAM keep what a transaction has written that is undone.
    await database.run(`
      CREATE TABLE attempts (n INT) ENGINE = MyISAM;
      INSERT INTO attempts VALUES (0);
      CREATE TRIGGER deadlock BEFORE UPDATE ON \`Setting\` FOR EACH ROW BEGIN
        UPDATE attempts SET n = n + 1;
        IF (SELECT n FROM attempts) < 4 THEN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; END IF;
      END;`)
    const query = { where: { key: { contains: 'k' } }, data: { scope: 'new' } }
    await expect(plain.setting.updateMany(query)).rejects.toMatchObject({ code: 'P2034' })
    await expect(prisma.setting.updateMany(query)).resolves.toEqual({ count: 5 })
    expect((await recorder.take()).at(-1)).toBe('3: end')
    await database.run('DROP TRIGGER deadlock; DROP TABLE attempts')
  })

  it('mark a new row by the id that they give it', async () => {
    const { prisma, recorder } = fixture
    await prisma.label.create({ data: { name: 'New' } })
    expect(await recorder.take()).toEqual(['markWritten Label {"name":"New"}', 'fence', 'end'])
  })
})
