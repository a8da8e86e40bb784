import ts from 'typescript'
import { isInRange, untestedCombination } from './installed-packages.js'
import { SourceCode } from './source-code.js'
import { findUnextendedClients } from './unextended-clients.js'
import { findReplicas } from './written-replicas.js'

const source = (text: string, path = 'a.ts'): SourceCode => new SourceCode(ts, path, text)

describe('findReplicas', () => {
  it.each([
    ['forRoot({ consistency: { replicas: 1 } })', 1, 0],
    ['const consistency = { replicas: 1, mode }\nf({ consistency: { replicas: 2 } })', 2, 0],
    ['f({ consistency: { mode } })', 0, 0],
    ['// f({ consistency: { replicas: 1 } })', 0, 0],
    ['f({ consistency: { replicas } })', 0, 1],
    ['f({ consistency: { replicas: isLive ? 1 : 0 } })', 0, 1],
    ['f({ consistency: { replicas: 1 + more } })', 0, 1],
    ['const consistency = { replicas: 1_0 } satisfies Options', 10, 0],
    ['f({ other: { replicas: 1 } })', 0, 0],
    ['// model-cache: checked by hand\nf({ consistency: { replicas } })', 0, 0],
  ])('reads %j', (text, count, computed) => {
    const found = findReplicas([source(text)])
    expect([found.count, found.computed.length]).toEqual([count, computed])
  })

  it('says where the number is computed', () => {
    const { computed } = findReplicas([source('f({\n  consistency: { replicas },\n})')])
    expect(computed).toMatchObject([{ severity: 'note', id: 'source.unknown-replicas', at: 'a.ts:2' }])
  })
})

describe('isAcknowledged', () => {
  it.each([
    ['// model-cache: reads', true],
    ['//model-cache:reads', true],
    ['/* model-cache:  reads */', true],
    ['//   model-cache: reads', true],
    ['// model-cache:', false],
    ['// model-cache: …', false],
    ['model-cache: reads', false],
    ['/x model-cache: reads', false],
  ])('takes %j for a reason: %p', (comment, isReason) => {
    const counts = (text: string): number => findUnextendedClients([source(text)]).length
    const text = 'new PrismaClient()'
    const quoted = comment.startsWith('/') && !comment.startsWith('/x') ? comment : `'${comment}'`
    expect(counts(`${quoted}\n${text}`)).toBe(isReason ? 0 : 1)
    // Only on the line before, or on the same one.
    expect(counts(`${quoted}\n\n${text}`)).toBe(1)
    expect(counts(`x()\n${text}\n${quoted}`)).toBe(1)
    expect(counts(`${text}\n${quoted}`)).toBe(1)
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
    [
      ['class B extends A {}\nnew B()', 'export class A extends client.PrismaClient {}'],
      ['0.ts:2', '1.ts:1'],
    ],
    [['const open = () => new PrismaClient()', 'extendPrisma(other, writes)'], ['0.ts:1']],
    [['const open = () => new PrismaClient()', 'extend(open(), writes)'], ['0.ts:1']],
    [['export default class extends PrismaClient {}\nconst db = new PrismaClient()'], ['0.ts:2']],
    [['class A implements PrismaClient {}\nclass B extends PrismaClient {}'], ['0.ts:2']],
    [['class A implements B, PrismaClient {}\nclass C {}\nnew (f())()', 'new PrismaClient()'], ['1.ts:1']],
    [['class A extends PrismaClient {}', 'use({ A: extendPrisma })'], ['0.ts:1']],
    [['const open = () => [new PrismaClient()]', 'extendPrisma(f()(), writes)'], ['0.ts:1']],
    [['interface A extends PrismaClient {}\nconst a = new PrismaClient()'], ['0.ts:2']],
  ])('finds %j', (texts, places) => {
    expect(found(...texts)).toEqual(places)
  })

  it.each([
    [['const prisma = extendPrisma(new PrismaClient({ adapter }), writes)']],
    [['export const plain = new PrismaClient()', 'export const prisma = extendPrisma(plain, writes)']],
    [['class A extends PrismaClient {}', 'provideExtendedPrisma(A, () => new A({ adapter }), [DATABASE])']],
    [['class A extends PrismaClient {}', 'provideExtendedPrisma(A)']],
    [['function open() {\n  return new PrismaClient()\n}', 'extendPrisma(open(), writes)']],
    [['class Db { #a = new PrismaClient()\n b = extendPrisma(this.#a, writes) }']],
    [['globals.prisma ??= new PrismaClient()', 'extendPrisma(globals.prisma, writes)']],
    [['const open = async (): Promise<Client> => new PrismaClient()', 'extendPrisma(await open(), writes)']],
    [['// model-cache: reads\nconst prisma = new PrismaClient()']],
    [['class A { b = new Other() }\nclass C extends D {}\nclass E extends f() {}\nnew E()']],
    [['class D {}\nclass C extends D {}\nnew C()']],
    // As while somebody writes it.
    [['class A extends {}\nnew A()']],
  ])('does not report %j', (texts) => {
    expect(found(...texts)).toEqual([])
  })

  it.each([
    [[`writes: 'manual'`], 'note'],
    [['other()', `{ writes:'manual' }`], 'note'],
    [[`{ writes:  'manual' }`, 'other()'], 'note'],
    [[`{ writes: 'automatic', mode: 'manual' }`], 'warning'],
    [[`{ overwrites: 'manual' }`], 'warning'],
  ])('reports clients with a lower severity if writes are invalidated by hand: %j', (texts, severity) => {
    const files = ['new PrismaClient()', ...texts].map((text, i) => source(text, `${i}.ts`))
    expect(findUnextendedClients(files)).toMatchObject([{ severity, found: expect.any(String) }])
  })

  it('distinguishes a client that is created from one that Nest creates', () => {
    const files = [source('class A extends PrismaClient {}\nclass B extends A {}\nnew B()')]
    expect(findUnextendedClients(files).map(({ found }) => found)).toEqual([
      'new B() is not extended.',
      'The client A is not extended.',
    ])
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
    ['1.0.0', '', true],
    ['next', '^7.0.0', false],
    ['7.10', '^7.10.0', true],
    ['7.9.9', '^7.10.0', false],
    ['10.0.0', '>=9.9.9', true],
    ['8.0.0', '>=9 || ^7', false],
  ])('%s in %s: %s', (version, range, expected) => {
    expect(isInRange(version, range)).toBe(expected)
  })
})

describe('untestedCombination', () => {
  const found = (nest?: string, prisma?: string, ioredis?: string) =>
    untestedCombination(
      (name) => ({ '@nestjs/core': nest, '@prisma/client': prisma, ioredis })[name] ?? undefined,
    )

  it('names versions that no test has together', () => {
    expect(found('11.2.0', '7.10.0', '5.11.1')).toBe(
      '@nestjs/core 11.2.0, @prisma/client 7.10.0, ioredis 5.11.1',
    )
  })

  it('is nothing for those of a test, and without one of them', () => {
    expect([found('12.5.1', '7.10.0', '6.0.0'), found('11.0.0', '6.19.3', '5.11.1')]).toEqual([
      undefined,
      undefined,
    ])
    expect(found('11.2.0', undefined, '6.0.0')).toBeUndefined()
  })
})
