import { describeSchemaText } from '../../source/prisma/schema/describe-schema.js'
import { checkDefinitions } from './check-definitions.js'
import { isInRange } from './installed-packages.js'
import { objectAt } from './object-literal.js'
import { findRawWrites } from './raw-writes.js'
import { type SourceCode, sourceCodeOf } from './source-code.js'
import { findUnextendedClients } from './unextended-clients.js'
import { findDefinitions } from './written-definitions.js'
import { findReplicas } from './written-replicas.js'

const source = (text: string, path = 'a.ts'): SourceCode => sourceCodeOf(path, text)

describe('sourceCodeOf', () => {
  it.each([
    ["a('x(') // b(", "a('  ')      "],
    ['a("\\"(") /* ( */ b', 'a("   ")         b'],
    ['`(${ f(`)`) })`', '` ${ f(` `) } `'],
    ['x = /["(\\/]/.test(y)', 'x = /      /.test(y)'],
    ['x = 1 / 2 / f(3)', 'x = 1 / 2 / f(3)'],
    ["a = 'open\nb(", "a = '    \nb("],
  ])('blanks the texts of %j', (text, code) => {
    expect(source(text).code).toBe(code)
  })
})

describe('objectAt', () => {
  it('reads properties, nested ones too', () => {
    const file = source(`f({ ttl: '1h', 'name': "x", omit: { a: true }, short, list: [1, 2], ...more })`)
    const { isOpen, properties } = objectAt(file, file.code.indexOf('{'))
    const texts = [...properties].map(([name, { text }]) => `${name}=${text}`)
    expect(texts).toEqual([`ttl='1h'`, 'name="x"', 'omit={ a: true }', 'short=short', 'list=[1, 2]'])
    expect(isOpen).toBe(true)
  })
})

describe('findReplicas', () => {
  it.each([
    ['forRoot({ consistency: { replicas: 1 } })', 1, 0],
    ['const consistency = { replicas: 1, mode }\nf({ consistency: { replicas: 2 } })', 2, 0],
    ['f({ consistency: { mode } })', 0, 0],
    ['// f({ consistency: { replicas: 1 } })', 0, 0],
    ['f({ consistency: { replicas } })', 0, 1],
    ['f({ consistency: { replicas: isLive ? 1 : 0 } })', 0, 1],
    ['f({ consistency: { replicas: 1 + more } })', 0, 1],
    ['// model-cache: checked by hand\nf({ consistency: { replicas } })', 0, 0],
  ])('reads %j', (text, count, computed) => {
    const found = findReplicas([source(text)])
    expect([found.count, found.computed.length]).toEqual([count, computed])
  })
})

const context = { isFollowed: false, typedSql: (name: string) => ({ close: 'DELETE FROM lots' })[name] }
const rawIn = (text: string): string[] =>
  findRawWrites([source(text)], context).map(({ at, id, severity }) => `${severity} ${id} ${at}`)

describe('findRawWrites', () => {
  it.each([
    'db.$executeRaw`UPDATE lots SET name = ${name}`',
    'db.$executeRaw(Prisma.sql`delete from lots`)',
    "tx.$executeRawUnsafe('TRUNCATE lots')",
    'db.$queryRaw<Row[]>`INSERT INTO lots VALUES (${f({ a: `b` })}) RETURNING id`',
    'db.$queryRawUnsafe<Map<string, Row>>(`WITH x AS (SELECT 1) UPDATE lots SET a = 1`)',
    'db.$queryRawTyped(close(1))',
    'db.$executeRawUnsafe(statement)',
  ])('finds %s', (text) => {
    expect(rawIn(text)).toEqual(['warning source.raw-write a.ts:1'])
  })

  it.each([
    'db.$queryRaw`SELECT 1 FROM lots FOR UPDATE`',
    'db.$queryRaw`SELECT 1 FROM lots FOR NO KEY UPDATE`',
    'db.$executeRaw`SET LOCAL lock_timeout = 5`',
    '// db.$executeRaw`UPDATE lots`',
    "const text = 'db.$executeRaw`UPDATE lots`'",
    '// model-cache: invalidated\ndb.$executeRaw`UPDATE lots SET a = 1`',
    'db.$executeRaw`UPDATE lots SET a = 1` // model-cache: not cached',
  ])('does not report %s', (text) => {
    expect(rawIn(text)).toEqual([])
  })

  it('notes SQL that is written elsewhere, and writes that are followed', () => {
    expect(rawIn('db.$queryRawUnsafe(sql)')).toEqual(['note source.raw-unknown a.ts:1'])
    const followed = findRawWrites([source('db.$executeRaw`UPDATE lots`')], { ...context, isFollowed: true })
    expect(followed.map(({ severity }) => severity)).toEqual(['note'])
  })
})

describe('findUnextendedClients', () => {
  const found = (...texts: string[]): (string | undefined)[] =>
    findUnextendedClients(texts.map((text, i) => source(text, `${i}.ts`))).map(({ at }) => at)

  it.each([
    [['export const prisma = new PrismaClient({ adapter })'], ['0.ts:1']],
    [['class Db extends PrismaClient {}\nconst db = new Db()'], ['0.ts:2']],
    [
      ['@Injectable()\nexport class PrismaService extends PrismaClient {}', 'providers: [PrismaService]'],
      ['0.ts:2'],
    ],
  ])('finds %j', (texts, places) => {
    expect(found(...texts)).toEqual(places)
  })

  it.each([
    [['const prisma = extendPrisma(new PrismaClient({ adapter }), writes)']],
    [['export const plain = new PrismaClient()', 'export const prisma = extendPrisma(plain, writes)']],
    [['class A extends PrismaClient {}', 'provideExtendedPrisma(A, () => new A({ adapter }), [DATABASE])']],
    [['class A extends PrismaClient {}', 'provideExtendedPrisma(A)']],
    [['function open() {\n  return new PrismaClient()\n}', 'extendPrisma(open(), writes)']],
    [['// model-cache: reads\nconst prisma = new PrismaClient()']],
  ])('does not report %j', (texts) => {
    expect(found(...texts)).toEqual([])
  })
})

describe('checkDefinitions', () => {
  const { models } = describeSchemaText(`
    model User { id Int @id
      token String
      hidden String /// @cache(omit)
      notes String @db.Text
      lots Lot[] }
    model Lot { id Int @id
      userId Int
      user User @relation(fields: [userId], references: [id]) }`)
  const found = (text: string, isFollowed = false): string[] =>
    checkDefinitions(findDefinitions([source(text)]), { models, maxTtlMs: 86_400_000, isFollowed })
      .filter(({ severity }) => severity !== 'ok')
      .map(({ id, found: what }) => `${id}: ${what}`)

  it.each([
    [`defineModelCache('Lot', { ttl: '2d' })`, 'definition.long-ttl: The cache Lot has a ttl of 2d.'],
    [`defineModelCache('Lot', { ttl: '1h', staleFor: 172_800_000 })`, 'definition.long-ttl: '],
    [`defineModelCache('Lot', { ttl: 'soon' })`, 'definition.ttl: '],
    [`defineModelCache('Lot', {})`, 'definition.ttl: The cache Lot has no ttl.'],
    [
      `defineModelCache('User', { ttl: '1h', omit: { notes: true } })`,
      'definition.secret: The rows of User hold token.',
    ],
    [
      `defineModelCache('Lot', { ttl: '1h', include: { user: { omit: {} } }, dependsOn: ['User'] })`,
      undefined,
    ],
    [
      `defineModelCache('Lot', { ttl: '1h', include: { user: true } })`,
      'definition.secret: The rows of Lot hold user.token.',
    ],
    [
      `defineModelCache('User', { ttl: '1h', omit: { token: true } })`,
      'definition.payload: The rows of User hold fields without a limit of size: notes.',
    ],
    [`defineModelCache('User', { ttl: '1h', select: { token: true } })`, undefined],
    [`defineModelCache('User', { ttl: '1h', ...shared })`, undefined],
    [`defineModelCache<Row>()({ model: 'Lots', schema, id: 'id', ttl: '1h' })`, 'definition.model: '],
    [`defineModelCache<Row>()({ model: 'Other', schema, id: 'id', ttl: '1h', load })`, undefined],
    [`defineModelCache('Lot', { ttl: '1h', follow: 'required' })`, 'definition.follow: '],
    [`// model-cache: known\ndefineModelCache('Lot', { ttl: '2d' })`, undefined],
    [`export function defineModelCache<Row>() {}`, undefined],
  ])('of %s', (text, finding) => {
    const findings = found(text)
    if (finding === undefined) expect(findings).toEqual([])
    else expect(findings[0]).toMatch(new RegExp(`^${finding.replaceAll('.', '\\.')}`))
  })

  it('reports a name that two definitions have, unless one has another', () => {
    const lot = `defineModelCache('Lot', { ttl: '1h' })\n`
    expect(found(lot + lot)).toEqual([
      'definition.duplicate: 2 definitions have the name Lot: a.ts:1, a.ts:2.',
    ])
    expect(found(`${lot}defineModelCache('Lot', { ttl: '1h', name: 'Other' })`)).toEqual([])
    expect(found(`defineModelCache('Lot', { ttl: '1h', follow: 'required' })`, true)).toEqual([])
  })
})

describe('isInRange', () => {
  it.each([
    ['7.10.1', '^7.0.0', true],
    ['8.0.0', '^7.0.0', false],
    ['6.19.0', '^7.0.0', false],
    ['v22.11.0', '^22.12 || >=24', false],
    ['v22.12.0', '^22.12 || >=24', true],
    ['v23.5.0', '^22.12 || >=24', false],
    ['v26.1.0', '^22.12 || >=24', true],
  ])('%s in %s: %s', (version, range, expected) => {
    expect(isInRange(version, range)).toBe(expected)
  })
})
