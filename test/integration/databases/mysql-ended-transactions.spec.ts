import { describeOn } from '../../support/describe-databases.js'
import { type MysqlFixture, openMysqlFixture } from './mysql-fixture.js'

/** Does to its transaction what the server does in a deadlock, and reports the same. */
const deadlock = `CREATE PROCEDURE deadlock() BEGIN
  ROLLBACK;
  SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'Deadlock found when trying to get lock';
END`

describeOn(
  ['mysql-binary'],
  'a transaction that $name has ended by an error, and whose callback goes on',
  ({ name }) => {
    let fixture: MysqlFixture
    beforeAll(async () => {
      fixture = await openMysqlFixture(name)
      await fixture.refill()
      await fixture.database.run(deadlock)
      fixture.recorder.caches = { Setting: [['id']] }
      fixture.recorder.look = async () => {
        const [row] = await fixture.database.rows<{ key: string }>('SELECT `key` FROM `Setting` WHERE id = 3')
        return row?.key
      }
    })
    afterAll(() => fixture.close())

    it('fences each further write before it is sent, because it is committed at once', async () => {
      const { prisma, recorder } = fixture
      await prisma.$transaction(async (tx) => {
        await tx.setting.update({ where: { id: 1 }, data: { scope: 'undone' } })
        await expect(tx.$executeRawUnsafe('CALL deadlock()')).rejects.toThrow('Deadlock found')
        await recorder.take()
        await tx.setting.update({ where: { id: 3 }, data: { key: 'further' } })
        expect(await recorder.take()).toEqual(['markWritten Setting {"id":3}', 'fence seeing k3'])
      })
      // If the transaction had gone on, it would be committed now.
      expect(await recorder.take()).toEqual(['end seeing further'])
    })
  },
)
