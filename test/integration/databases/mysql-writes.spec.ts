import { chosenDatabases } from '../../support/databases.js'
import { type MysqlFixture, openMysqlFixture } from './mysql-fixture.js'

describe.each(chosenDatabases(['mysql']))('writes on $name, whose text is compared by a collation', () => {
  let fixture: MysqlFixture
  beforeAll(async () => {
    fixture = await openMysqlFixture()
  })
  beforeEach(async () => {
    await fixture.refill()
    fixture.recorder.caches = { Label: [['name']], Account: [['id'], ['email']] }
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
    expect(await recorder.take()).toEqual(['markWritten Account {"id":2,"email":"a2@x.org"}', 'fence', 'end'])
  })

  it('fence a row whose id they spell in another way', async () => {
    const { prisma, recorder } = fixture
    await prisma.account.update({ where: { email: 'A2@x.org' }, data: { email: 'A2@X.org' } })
    const marks = (await recorder.take()).join()
    expect(marks).toMatch(/"a2@x\.org".*"A2@X\.org"|all Account/)
  })

  it('mark a new row by the id that they give it', async () => {
    const { prisma, recorder } = fixture
    await prisma.label.create({ data: { name: 'New' } })
    expect(await recorder.take()).toEqual(['markWritten Label {"name":"New"}', 'fence', 'end'])
  })
})
