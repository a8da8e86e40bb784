import { PrismaMariaDb } from '@prisma/adapter-mariadb'
import { extendPrisma } from 'model-cache'
import { describeOn } from '../../support/describe-databases.js'
import { heardAdapter } from '../../support/heard-adapter.js'
import { mysqlConnectionOf } from '../../support/mysql-database.js'
import { useOpened } from '../../support/use-opened.js'
import { PrismaClient } from '../differential/derived/mysql/client.js'
import { openMysqlFixture } from './mysql-fixture.js'

describeOn(['mysql'], 'writes on $name, whose text is compared by a collation', () => {
  const fixture = useOpened(openMysqlFixture)
  beforeEach(async () => {
    await fixture.refill()
    fixture.recorder.caches = { Label: [['name']], Account: [['id']], Setting: [['id']] }
    fixture.recorder.look = async () => undefined
    await fixture.recorder.take()
  })

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

  it('fence a row by each of its ids, which they lock before', async () => {
    const { prisma, recorder } = fixture
    recorder.caches = { Setting: [['id'], ['scope', 'key']] }
    await prisma.setting.createMany({
      data: [1, 2, 3].map((n) => ({ id: 70 + n, scope: 'fold', key: `k${n}` })),
    })
    await recorder.take()
    const row = (n: number, scope = 'fold') => `{"id":7${n},"scope":"${scope}","key":"k${n}"}`
    const where = { scope: 'FOLD' }
    const marksOf = async (...rows: string[]) => {
      const [first, ...others] = await recorder.take()
      expect(first).toBe(`markWritten Setting ${rows.join(' ')}`)
      return others
    }
    await prisma.setting.updateMany({ where, data: { value: 1 } })
    expect(await marksOf(row(1), row(2), row(3))).toEqual(['fence', 'end'])
    await prisma.setting.updateMany({ where: { ...where, key: 'K2' }, data: { scope: 'Other' } })
    expect(await marksOf(row(2), row(2, 'Other'))).toEqual(['fence', 'end'])
    await prisma.setting.updateMany({ where: { scope: 'other' }, data: { id: { increment: 6 } } })
    expect(await recorder.take()).toEqual(['markWritten all Setting: unbounded', 'fence', 'end'])
    await prisma.setting.delete({ where: { scope_key: { scope: 'fold', key: 'K3' } } })
    expect(await marksOf(row(3))).toEqual(['fence', 'end'])
    await prisma.setting.deleteMany({ where })
    expect(await marksOf(row(1))).toEqual(['fence', 'end'])
  })

  it('fence the rows that the database changes with others', async () => {
    const { prisma, recorder } = fixture
    // MySQL 9 refuses to pass a change on to more than 30 tables, and counts each level of a tree.
    await prisma.label.delete({ where: { name: 'L3' } })
    expect(await recorder.take()).toEqual(['markWritten Label {"name":"l3"} {"name":"l6"}', 'fence', 'end'])
  })

  describe('in a transaction that reads an older snapshot', () => {
    /** Another connection commits after the transaction has read, and before it writes. */
    const schedule = async (
      committed: string,
      write: (tx: Parameters<Parameters<typeof fixture.prisma.$transaction>[0]>[0]) => Promise<unknown>,
    ) => {
      const { database, prisma, recorder } = fixture
      await database.run(`INSERT INTO Setting (id, scope, \`key\`) VALUES (81, 'old', 'a'), (82, 'old', 'b')`)
      await prisma.$transaction(async (tx) => {
        await tx.setting.findFirst()
        await database.run(committed)
        await write(tx)
      })
      return recorder.take()
    }
    const settings = (...ids: number[]) => `markWritten Setting ${ids.map((id) => `{"id":${id}}`).join(' ')}`
    const late = `INSERT INTO Setting (id, scope, \`key\`) VALUES (83, 'old', 'c')`

    it('fence the row that they delete, not the one that Prisma has seen', async () => {
      const swap = `UPDATE Setting SET \`key\` = 'x' WHERE id = 81; UPDATE Setting SET \`key\` = 'a' WHERE id = 82`
      const where = { scope_key: { scope: 'old', key: 'a' } }
      const marks = await schedule(swap, (tx) => tx.setting.delete({ where }))
      expect(await fixture.database.rows('SELECT id FROM Setting WHERE id > 80')).toEqual([{ id: 81 }])
      expect(marks[0]).toMatch(/\{"id":82\}|all Setting/)
    })

    it('fence rows that they delete along with others', async () => {
      const child = `INSERT INTO Label (name, colour, parentName) VALUES ('late', 'red', 'l6')`
      const marks = await schedule(child, (tx) => tx.label.delete({ where: { name: 'l6' } }))
      expect(marks).toEqual(['markWritten Label {"name":"l6"} {"name":"late"}', 'fence', 'end'])
    })

    it('fence the rows that they match, each by its id', async () => {
      const where = { scope: 'old' }
      const updated = await schedule(late, (tx) => tx.setting.updateMany({ where, data: { value: 1 } }))
      expect(updated).toEqual([settings(81, 82, 83), 'fence', 'end'])
      await fixture.refill()
      const deleted = await schedule(late, (tx) => tx.setting.deleteMany({ where }))
      expect(deleted).toEqual([settings(81, 82, 83), 'fence', 'end'])
    })

    it('fence the rows that a nested write changes, though only the snapshot has them there', async () => {
      const move = `UPDATE Label SET parentName = NULL WHERE name = 'l3'`
      const children = { updateMany: { where: {}, data: { colour: 'new' } } }
      const marks = await schedule(move, (tx) =>
        tx.label.update({ where: { name: 'l1' }, data: { children } }),
      )
      const written = await fixture.database.rows("SELECT colour FROM Label WHERE name = 'l3'")
      expect([written, marks[0]]).toEqual([[{ colour: 'new' }], 'markWritten Label {"name":"l3"}'])
    })
  })

  it('fence what a statement has written before the next one of the same write failed', async () => {
    const { prisma, recorder } = fixture
    recorder.caches = { Day: [['date']] }
    const at = new Date('2026-01-01T12:00:00Z')
    await prisma.hour.create({ data: { at, label: 'taken' } })
    const day = await prisma.day.findFirstOrThrow()
    await recorder.take()
    await prisma.$transaction(async (tx) => {
      const hours = { create: { at: new Date('2026-01-01T13:00:00Z'), label: 'taken' } }
      const write = tx.day.update({ where: { label: day.label }, data: { label: 'half', hours } })
      await expect(write).rejects.toMatchObject({ code: 'P2002' })
    })
    expect(await prisma.day.findUnique({ where: { label: 'half' } })).toMatchObject({ date: day.date })
    expect(await recorder.take()).toEqual([
      `markWritten Day {"date":"${day.date.toISOString()}"}`,
      'fence',
      'end',
    ])
  })

  it('are repeated after a deadlock if the library has put the transaction around them', async () => {
    const { database, plain, prisma, recorder } = fixture
    // AUTO_INCREMENT goes on counting after a transaction that is undone.
    await database.run(`
      CREATE TABLE attempts (n INT AUTO_INCREMENT PRIMARY KEY);
      CREATE TRIGGER deadlock BEFORE UPDATE ON \`Setting\` FOR EACH ROW BEGIN
        INSERT INTO attempts VALUES ();
        IF LAST_INSERT_ID() < 4 THEN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213; END IF;
      END;`)
    const query = { where: { key: { contains: 'k' } }, data: { scope: 'new' } }
    await expect(plain.setting.updateMany(query)).rejects.toMatchObject({ code: 'P2034' })
    await expect(prisma.setting.updateMany(query)).resolves.toEqual({ count: 5 })
    expect((await recorder.take()).at(-1)).toBe('3: end')
    await database.run('DROP TRIGGER deadlock; DROP TABLE attempts')
  })

  it('lock rows by the statement itself where these can be found after it', async () => {
    const { database, recorder } = fixture
    recorder.caches = { Setting: [['id']] }
    const sent: string[] = []
    const adapter = heardAdapter(database.adapter(2), { sent: (sql) => void sent.push(sql) })
    const client = extendPrisma(new PrismaClient({ adapter }), recorder)
    const data = [1, 2, 3].map((n) => ({ id: 80 + n, scope: 'lock', key: `k${n}` }))
    await client.setting.createMany({ data })
    const sentBy = async (write: (tx: Pick<PrismaClient, 'setting'>) => Promise<unknown>) => {
      await recorder.take()
      await client.$transaction((tx) => {
        sent.length = 0
        return write(tx)
      })
      const own = sent.filter((sql) => sql.includes('`Setting`'))
      const statements = own.map((sql) => sql.split(' ')[0])
      return [statements.join(), (await recorder.take())[0]]
    }
    const where = { scope: 'lock' }
    const all = 'markWritten Setting {"id":81} {"id":82} {"id":83}'
    expect(await sentBy(({ setting }) => setting.updateMany({ where, data: { value: 1 } }))).toEqual([
      'UPDATE,SELECT',
      all,
    ])
    // Its condition may not match them afterwards.
    expect(await sentBy(({ setting }) => setting.updateMany({ where, data: { scope: 'LOCK' } }))).toEqual([
      'SELECT,UPDATE',
      all,
    ])
    const [{ version }] = (await database.rows('SELECT VERSION() AS version')) as [{ version: string }]
    const isMariadb = version.includes('MariaDB')
    expect(
      await sentBy(({ setting }) => setting.deleteMany({ where: { ...where, key: { in: ['k1', 'k2'] } } })),
    ).toEqual([isMariadb ? 'DELETE' : 'SELECT,DELETE', 'markWritten Setting {"id":81} {"id":82}'])
    // It may be of any number of rows, which the driver would hold.
    expect(await sentBy(({ setting }) => setting.deleteMany({ where }))).toEqual([
      'SELECT,DELETE',
      'markWritten Setting {"id":83}',
    ])
    await client.$disconnect()
  })

  it('go through for a user who may not select by all columns', async () => {
    const { database, recorder } = fixture
    const url = new URL(database.url)
    const [name, user] = [url.pathname.slice(1), 'narrow']
    await database.run(`CREATE USER narrow IDENTIFIED BY 'narrow';
      GRANT SELECT (id, scope), UPDATE (scope), INSERT, DELETE ON ${name}.Setting TO narrow`)
    const connection = { ...mysqlConnectionOf(url), user, password: user, database: name }
    const adapter = new PrismaMariaDb(connection, { database: name })
    const client = extendPrisma(new PrismaClient({ adapter }), recorder)
    expect(await client.setting.createMany({ data: [{ scope: 'narrow', key: 'k' }] })).toEqual({ count: 1 })
    const where = { scope: 'narrow' }
    expect(await client.setting.updateMany({ where, data: { scope: 'other' } })).toEqual({ count: 1 })
    expect(await client.setting.deleteMany({ where: { scope: 'other' } })).toEqual({ count: 1 })
    expect((await recorder.take()).join()).toMatch(/created Setting.*all Setting.*all Setting/)
    await client.$disconnect()
    await database.run('DROP USER narrow')
  })

  it.each([
    ['triggers', ''],
    ['those of this table', '; CREATE TABLE setting (id INT); GRANT TRIGGER ON $.setting TO untold'],
    ['those of the schema', '; GRANT TRIGGER ON `$%`.* TO untold'],
  ])('announce the key that a trigger sets, also if the user may not see %s', async (_, granted) => {
    const { database, recorder } = fixture
    const url = new URL(database.url)
    const [name, user] = [url.pathname.slice(1), 'untold']
    await database.run(`CREATE TRIGGER set_scope BEFORE UPDATE ON Setting FOR EACH ROW SET NEW.scope = 'set';
      CREATE USER untold IDENTIFIED BY 'untold'; GRANT SELECT, INSERT, UPDATE, DELETE ON ${name}.* TO untold${granted.replace('$', name)}`)
    const connection = { ...mysqlConnectionOf(url), user, password: user, database: name }
    const adapter = new PrismaMariaDb(connection, { database: name })
    const client = extendPrisma(new PrismaClient({ adapter }), recorder)
    recorder.lookups = { Setting: [{ key: ['scope'], fields: ['scope', 'id'], through: undefined }] }
    const { id } = await client.setting.findFirstOrThrow()
    await recorder.take()
    await client.setting.update({ where: { id }, data: { scope: 'given' } })
    expect((await recorder.take()).join()).toMatch(/markJoined Setting \{"scope":"set"\}|all Setting/)
    recorder.lookups = {}
    await client.$disconnect()
    await database.run('DROP TRIGGER set_scope; DROP USER untold; DROP TABLE IF EXISTS setting')
  })

  it('are announced by the ids that a trigger gives their rows', async () => {
    const { database, recorder } = fixture
    await database.run(`CREATE TRIGGER set_scope BEFORE UPDATE ON Setting FOR EACH ROW SET NEW.scope = 'set'`)
    recorder.caches = { Setting: [['scope', 'key']] }
    const client = extendPrisma(new PrismaClient({ adapter: database.adapter(1) }), recorder)
    const { id, key } = await client.setting.findFirstOrThrow()
    await recorder.take()
    await client.setting.update({ where: { id }, data: { value: 2 } })
    expect((await recorder.take())[0]).toBe(`markWritten Setting {"scope":"set","key":"${key}"}`)
    await client.$disconnect()
    await database.run('DROP TRIGGER set_scope')
  })

  it('go through for a table with more generated columns than MySQL has in the text of a group by default', async () => {
    const { database, recorder } = fixture
    // MariaDB has a mebibyte by default, MySQL 1,024 bytes.
    await database.run('SET GLOBAL group_concat_max_len = 1024')
    const columns = Array.from(
      { length: 30 },
      (_, n) => `a_column_with_a_name_of_some_length_${n} INT AS (1)`,
    )
    await database.run(`ALTER TABLE Setting ADD (${columns.join()})`)
    const client = extendPrisma(new PrismaClient({ adapter: database.adapter(1) }), recorder)
    const { id } = await client.setting.findFirstOrThrow()
    await client.setting.update({ where: { id }, data: { value: 2 } })
    expect(await recorder.take()).toEqual([`markWritten Setting {"id":${id}}`, 'fence', 'end'])
    await client.$disconnect()
    const dropped = columns.map((column) => `DROP ${column.split(' ')[0]}`)
    await database.run(`ALTER TABLE Setting ${dropped.join()}; SET GLOBAL group_concat_max_len = DEFAULT`)
  })

  it('go to a table of another database which has the name of one, and other columns', async () => {
    const { database, prisma, recorder } = fixture
    const other = `${new URL(database.url).pathname.slice(1)}_other`
    await database.run(
      `CREATE DATABASE ${other}; CREATE TABLE ${other}.Setting (id INT PRIMARY KEY, scope TEXT)`,
    )
    recorder.lookups = { Setting: [{ key: ['key'], fields: ['key', 'id'], through: undefined }] }
    const write = (text: string) => prisma.$executeRawUnsafe(text.replace('Setting', `${other}.Setting`))
    expect(await write(`INSERT INTO Setting (id, scope) VALUES (1, 'a')`)).toBe(1)
    expect(await write(`UPDATE Setting SET scope = 'b' WHERE id = 1`)).toBe(1)
    expect(await write('DELETE FROM Setting WHERE id = 1')).toBe(1)
    expect((await recorder.take()).join()).toMatch(/created Setting.*all Setting.*all Setting/)
    recorder.lookups = {}
    await database.run(`DROP DATABASE ${other}`)
  })

  it('mark a new row by the id that they give it', async () => {
    const { prisma, recorder } = fixture
    await prisma.label.create({ data: { name: 'New' } })
    expect(await recorder.take()).toEqual(['markWritten Label {"name":"New"}', 'fence', 'end'])
  })
})
