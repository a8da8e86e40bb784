import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findingLines } from '../../../../../test/support/answering-node.js'
import { checkPackages } from './check-packages.js'
import { installedManifest, type Manifest, ownManifest } from './installed-packages.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-packages-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

type Versions = Readonly<Record<string, string>>

/** Installs these versions of packages in the project, or in a folder below. */
function install(versions: Versions, below = ''): void {
  for (const [name, version] of Object.entries(versions)) {
    const path = join(folder, below, 'node_modules', name)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version }))
  }
}

const own: Manifest = {
  engines: { node: '>=1' },
  peerDependencies: {
    '@nestjs/core': '^11.0.0 || ^12.0.0',
    '@prisma/client': '^6.19.0 || ^7.0.0',
    ioredis: '^5.11.0 || ^6.0.0',
    rxjs: '^7.8.1',
  },
}
const supported = (version: string) => `ok project.prisma-version: @prisma/client ${version} is supported.`
const node = `ok project.node: Node ${process.version} is supported.`
/** What is found beside the version of Node. */
function found(versions: Versions): string[] {
  install(versions)
  const [first, ...others] = findingLines(checkPackages(folder, own))
  expect(first).toBe(node)
  return others
}

describe('checkPackages', () => {
  it('takes a version of Node in the range for supported, and any without a range', () => {
    for (const manifest of [own, { engines: {} }, {}])
      expect(findingLines(checkPackages(folder, manifest))).toEqual([node])
  })

  it('reads the ranges of the library itself', () => {
    install({ '@prisma/client': '5.22.0', '@nestjs/terminus': '10.0.0' })
    const [ofNode, ...others] = findingLines(checkPackages(folder))
    expect(ofNode).toBe(node)
    expect(others).toEqual([
      expect.stringContaining('error project.peer-version: @nestjs/terminus 10.0.0 is not in the range ^11'),
      expect.stringContaining('error project.prisma-version: @prisma/client 5.22.0 is not in the range ^6'),
    ])
    expect(others[1]).toMatch(/→ npm install @prisma\/client@7\.\d+\.\d+$/)
  })

  it('names the range of Node', () => {
    expect(findingLines(checkPackages(folder, { engines: { node: '^1.2 || >=999' } }))).toEqual([
      `error project.node: Node ${process.version} is not supported, but ^1.2 || >=999. → Install Node 24 or later.`,
    ])
  })

  it.each<readonly [title: string, versions: Versions, expected: readonly string[]]>([
    ['no package', {}, []],
    ['supported ones', { '@prisma/client': '7.10.1', ioredis: '5.11.0' }, [supported('7.10.1')]],
    [
      'another package that is too old',
      { rxjs: '7.8.0' },
      ['error project.peer-version: rxjs 7.8.0 is not in the range ^7.8.1. → npm install rxjs@7.8.1'],
    ],
    [
      'a client that is too old',
      { '@prisma/client': '6.18.0' },
      [
        'error project.prisma-version: @prisma/client 6.18.0 is not in the range ^6.19.0 || ^7.0.0. → ' +
          'npm install @prisma/client@7.0.0',
      ],
    ],
    [
      'majors that no test has together',
      { '@nestjs/core': '11.2.0', '@prisma/client': '7.10.1', ioredis: '5.11.1' },
      [
        supported('7.10.1'),
        'warning project.untested: @nestjs/core 11.2.0, @prisma/client 7.10.1, ioredis 5.11.1 were not tested together. → ' +
          'Compare with the table of docs/compatibility.md, and run your tests before you rely on it.',
      ],
    ],
    [
      'majors that a test has together',
      { '@nestjs/core': '12.5.1', '@prisma/client': '7.10.1', ioredis: '6.0.0' },
      [supported('7.10.1')],
    ],
    [
      'majors that no test has together, one of which is not supported at all',
      { '@nestjs/core': '10.0.0', '@prisma/client': '7.10.1', ioredis: '6.0.0' },
      [
        'error project.peer-version: @nestjs/core 10.0.0 is not in the range ^11.0.0 || ^12.0.0. → npm install @nestjs/core@12.0.0',
        supported('7.10.1'),
      ],
    ],
    ['prisma without its client', { prisma: '7.10.1' }, []],
    [
      'prisma of the minor of its client',
      { prisma: '7.10.2', '@prisma/client': '7.10.1' },
      [supported('7.10.1')],
    ],
    [
      'prisma of another minor',
      { prisma: '7.1.0', '@prisma/client': '7.10.1' },
      [
        supported('7.10.1'),
        'warning project.prisma-mismatch: prisma 7.1.0 generates the client of @prisma/client 7.10.1. → ' +
          'npm install --save-dev prisma@7.10.1 && npx prisma generate',
      ],
    ],
    [
      'a client that changes the options of nested transactions',
      { '@prisma/client': '7.10.0' },
      [
        supported('7.10.0'),
        'note project.prisma-nesting: @prisma/client 7.10.0 changes the options that a nested $transaction is given. → ' +
          'npm install @prisma/client@7 prisma@7, 7.10.1 or later; until then pass a new object to each $transaction.',
      ],
    ],
    ['a client that is older than nested transactions', { '@prisma/client': '7.4.2' }, [supported('7.4.2')]],
    [
      'the prisma of a major that generates no clients',
      { prisma: '8.0.0-rc.33', '@prisma/client': '7.10.1' },
      [
        supported('7.10.1'),
        'error project.prisma-mismatch: prisma 8.0.0-rc.33 cannot generate the client of @prisma/client 7.10.1. → ' +
          'npm install --save-dev prisma@7.10.1 && npx prisma generate',
      ],
    ],
  ])('of a project that has %s', (_, versions, expected) => {
    expect(found(versions)).toEqual(expected)
  })

  const untested =
    'error project.prisma-engine: @prisma/client 6.19.3 runs the Rust engine. → ' +
    'Set engineType = "client" in the generator of the schema and use a driver adapter, or upgrade to Prisma 7.'
  it.each<readonly [version: string, generator: string | undefined, expected: readonly string[]]>([
    ['6.19.3', 'provider = "prisma-client-js"', [untested]],
    ['6.19.3', 'provider = "prisma-client"\n  engineType = "library"', [untested]],
    ['6.19.3', 'provider = "prisma-client"\n  engineType = "client"', []],
    ['6.19.3', 'provider = "prisma-erd"', []],
    ['6.19.3', undefined, []],
    ['7.10.1', 'provider = "prisma-client"', []],
  ])('finds the engine of client %s with the generator %j', (version, generator, expected) => {
    install({ '@prisma/client': version })
    const schema = generator && `generator client {\n  ${generator}\n}\nmodel A {\n  id Int @id\n}`
    expect(findingLines(checkPackages(folder, own, schema)).slice(2)).toEqual(expected)
  })

  it('says of an important package why its range is narrow, and of others that it is tested', () => {
    install({ '@prisma/client': '5.22.0', rxjs: '6.0.0' })
    expect(checkPackages(folder, own).map(({ meaning }) => meaning)).toEqual([
      undefined,
      expect.stringContaining('relies on internals of Prisma'),
      'The library is tested with this range alone.',
    ])
  })
})

describe('installedManifest', () => {
  it('is found where Node looks for a package: in the folder, or above it', () => {
    install({ rxjs: '7.8.1', ioredis: '6.0.0' })
    install({ rxjs: '7.9.0' }, 'apps/shop')
    const below = join(folder, 'apps/shop')
    expect(installedManifest(below, 'rxjs')).toEqual({ name: 'rxjs', version: '7.9.0' })
    expect(installedManifest(below, 'ioredis')).toEqual({ name: 'ioredis', version: '6.0.0' })
    expect(installedManifest(below, '@prisma/client')).toBeUndefined()
  })
})

describe('ownManifest', () => {
  it('has the ranges that the library supports', () => {
    const { engines, peerDependencies } = ownManifest()
    expect(engines?.node).toMatch(/^\^22/)
    expect(Object.keys(peerDependencies ?? {})).toContain('@prisma/client')
  })
})
