import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'
import { packageOf, packages } from '../../scripts/packages.js'
import { ENTRY_POINTS, loadedBy, namesTwice, PUBLIC_NAMES, remedy, violationsOf } from './dependency-rules.js'

const ROOT = join(import.meta.dirname, '../..')
const FOLDERS = '{libs/*/src,apps/*,prisma,scripts,test}'
const GENERATED = [
  '**/node_modules/**',
  '**/dist/**',
  '{prisma{,/mysql,/sqlite},test/integration/differential{,/reads},apps/bench/src/suites/*}/{client,derived}/**',
]

const ofNest = /^(@nestjs\/|rxjs|reflect-metadata)/

describe('the repository', () => {
  const paths = globSync(`${FOLDERS}/**/*.{ts,mts}`, { cwd: ROOT, exclude: GENERATED })
  const texts: Record<string, string> = Object.fromEntries(
    paths.map((path) => [path.replaceAll('\\', '/'), readFileSync(join(ROOT, path), 'utf8')]),
  )

  it('is found', () => {
    expect(paths).toContain('libs/model-cache/src/index.ts')
    expect(paths).toContain('libs/event-loop/src/slicer.ts')
  })

  it('keeps to the arrows of its design', () => {
    const violations = violationsOf(texts)
    if (violations.length > 0) throw new Error([...violations, remedy].join('\n'))
  })

  it('gives each exported name of the library one meaning', () => {
    expect(namesTwice(texts)).toEqual([])
  })

  it.each(packages)(
    'publishes all entry points of $name in one way, and its package.json',
    ({ entries, manifest, name }) => {
      const expected = Object.entries(entries).map(([entry, module]) => {
        const [esm, cjs] = ['esm', 'cjs'].map((form) => `./dist/${form}/${module}`)
        const conditions = {
          types: { require: `${cjs}.d.ts`, default: `${esm}.d.ts` },
          'module-sync': `${esm}.js`,
          module: `${esm}.js`,
          require: `${cjs}.js`,
          default: `${esm}.js`,
        }
        return [entry.replace(name, '.'), conditions]
      })
      expect(manifest.exports).toEqual({
        ...Object.fromEntries(expected),
        './package.json': './package.json',
      })
      expect(Object.values(ENTRY_POINTS).filter((file) => !(file in texts))).toEqual([])
    },
  )

  it.each(packages)(
    'depends on other packages of ours in its own version: $name',
    ({ imports, manifest }) => {
      const { dependencies, peerDependencies, version } = manifest
      for (const name of imports) {
        expect(packageOf(name).manifest.version).toBe(version)
        expect([dependencies?.[name], peerDependencies?.[name]]).toContain(version)
      }
    },
  )

  it.each(packages)(
    'compiles $name with the packages that it depends on, and no others',
    ({ folder, imports }) => {
      const settings = JSON.parse(readFileSync(join(ROOT, folder, 'tsconfig.lib.json'), 'utf8')) as {
        compilerOptions: { paths: Record<string, string[]> }
        references?: { path: string }[]
      }
      const declared = imports.flatMap((name) => {
        const { entries, folder: imported } = packageOf(name)
        return Object.entries(entries).map(([entry, module]) => [
          entry,
          [`../${basename(imported)}/src/${module}.ts`],
        ])
      })
      const others = ['model-cache', 'model-cache/*', '@model-cache/*'].map((name) => [
        name,
        ['../not-declared.d.ts'],
      ])
      expect(settings.compilerOptions.paths).toEqual({
        ...Object.fromEntries(others),
        ...Object.fromEntries(declared),
      })
      expect((settings.references ?? []).map(({ path }) => path)).toEqual(
        imports.map((name) => `../${basename(packageOf(name).folder)}/tsconfig.lib.json`),
      )
    },
  )

  it('finds the sources of all entry points by the tsconfig.json of the root', () => {
    const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as {
      config: { compilerOptions: { paths: Record<string, string[]> } }
    }
    const expected = Object.entries(ENTRY_POINTS).map(([name, file]) => [name, [`./${file}`]])
    expect(config.compilerOptions.paths).toEqual(Object.fromEntries(expected))
  })

  it('loads neither caches nor a store through @model-cache/event-loop', () => {
    const { packages: loaded } = loadedBy('@model-cache/event-loop', texts)
    expect(loaded.filter((name) => !name.startsWith('node:'))).toEqual([
      '@nestjs/common',
      '@nestjs/core',
      'prom-client',
      'rxjs',
    ])
  })

  it.each(['inspector', 'follow'])(
    'loads the sources of @model-cache/%s through that package only',
    (name) => {
      const loading = Object.keys(ENTRY_POINTS).filter((entry) =>
        loadedBy(entry, texts).files.some((file) => file.startsWith(`${name}/`)),
      )
      expect(loading).toEqual([`@model-cache/${name}`, `@model-cache/${name}/internal`])
    },
  )

  it('loads Valkey and Prisma through model-cache, and no more than it needs', () => {
    const { packages } = loadedBy('model-cache', texts)
    expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([
      '@nestjs/common',
      '@nestjs/core',
      '@prisma/client/runtime/client',
      'cluster-key-slot',
      'ioredis',
      'lru-cache',
      'prom-client',
      'rxjs',
    ])
  })

  it.each([
    'model-cache/internal',
    'model-cache/prisma',
    '@model-cache/follow',
    '@model-cache/follow/internal',
    '@model-cache/inspector/internal',
  ])('loads no Nest through %s, which commands and processes without Nest import', (entry) => {
    const { packages: loaded } = loadedBy(entry, texts)
    expect(loaded.filter((name) => ofNest.test(name))).toEqual([])
  })

  it('needs no Nest for the types of model-cache/prisma', () => {
    const { packages: imported } = loadedBy('model-cache/prisma', texts, true)
    expect(imported).toContain('@prisma/client/runtime/client')
    expect(imported.filter((name) => ofNest.test(name))).toEqual([])
  })

  it('loads ArkType only where schemas are written by hand', () => {
    const loading = Object.keys(ENTRY_POINTS).filter((name) =>
      loadedBy(name, texts).packages.includes('arktype'),
    )
    expect(loading).toEqual(['model-cache/arktype', 'model-cache/codec'])
  })
})

describe('the rules', () => {
  /** The violations of one file of the library with this text, beside the files that it may want to import. */
  const inLibrary = (path: string, text: string) => violationsOf({ [`libs/model-cache/src/${path}`]: text })
  const inEventLoop = (path: string, text: string) => violationsOf({ [`libs/event-loop/src/${path}`]: text })

  describe.each([
    ['codec/a.ts', '../protocol/index.js', 'codec/ may import errors.ts'],
    ['protocol/backend/a.ts', '../../codec/codec.js', 'protocol/backend/ may import errors.ts'],
    ['protocol/backend/a.ts', '../write/write-unit.js', 'protocol/backend/ may import errors.ts'],
    ['protocol/format/a.ts', '../backend/memory-store.js', 'protocol/format/ may import errors.ts'],
    ['source/a.ts', '../cache/duration.js', 'source/ may import errors.ts'],
    ['source/a.ts', './prisma/internals.js', 'source/ may import errors.ts'],
    ['source/prisma/a.ts', '../../protocol/index.js', 'source/prisma/ may import errors.ts, source/'],
    ['nest/a.ts', '../source/prisma/extend-prisma.js', 'nest/ may import'],
    ['nest/start-report.ts', '../source/prisma/internals.js', 'nest/ may import'],
    ['cache/a.ts', '../source/prisma/prisma-source.js', 'cache/ may import'],
    ['testing/a.ts', '../source/prisma/prisma-source.js', 'testing/ may import'],
    ['create-model-cache.ts', './source/prisma/prisma-source.js', 'create-model-cache.ts may import'],
    ['protocol/a.ts', '../codec/codec.js', 'protocol/ may import errors.ts, protocol/format/'],
    ['protocol/write/a.ts', '../../cache/context.js', 'protocol/ may import errors.ts, protocol/format/'],
    [
      'cache/a.ts',
      '../protocol/backend/store.js',
      'cache/ may import errors.ts, codec/codec.ts, protocol/index.ts, source/read-caches.ts',
    ],
    ['cache/a.ts', '../codec/index.js', 'cache/ may import'],
    ['cache/a.ts', '../nest/tokens.js', 'cache/ may import'],
    ['metrics/a.ts', '../cache/model-cache.js', 'metrics/ may import errors.ts, cache/telemetry/observer.ts'],
    ['testing/a.ts', '../nest/a.js', 'testing/ may import'],
    ['registry/a.ts', '../nest/a.js', 'registry/ may import'],
    ['registry/a.ts', '../source/prisma/prisma-source.js', 'registry/ may import'],
    ['terminus/a.ts', '../cache/model-cache.js', 'terminus/ may import'],
    ['cache/a.ts', '../create-model-cache.js', 'cache/ may import'],
    ['create-model-cache.ts', './nest/a.js', 'create-model-cache.ts may import'],
    ['errors.ts', './cache/a.js', 'errors.ts may import shown-value.ts'],
    ['errors.ts', 'node:util', 'errors.ts may import shown-value.ts'],
    [
      'configuration-errors.ts',
      './cache/a.js',
      'configuration-errors.ts may import errors.ts, shown-value.ts',
    ],
    ['shown-value.ts', './errors.js', 'shown-value.ts may import nothing'],
    ['utils/a.ts', '../errors.js', 'not a part of the library that the rules know'],
    ['stray.ts', './errors.js', 'not a part of the library that the rules know'],
  ])('%s -> %s', (path, specifier, message) => {
    it('is refused, however it is imported', () => {
      for (const text of [
        `import { x } from '${specifier}'`,
        `import type { X } from '${specifier}'`,
        `export * from '${specifier}'\nexport const y = 1`,
        `const x = await import('${specifier}')`,
        `let x: import('${specifier}').X`,
        `const x = require('${specifier}')`,
      ]) {
        expect(inLibrary(path, text)).toEqual([expect.stringContaining(message)])
      }
    })
  })

  it.each([
    ['cache/a.ts', '@nestjs/common', '@nestjs belongs in nest/ and terminus/'],
    ['testing/a.ts', '@nestjs/testing', '@nestjs belongs in nest/ and terminus/'],
    ['nest/a.ts', '@nestjs/terminus', '@nestjs/terminus belongs in terminus/'],
    ['codec/a.ts', '@prisma/client', '@prisma belongs in source/prisma/'],
    ['source/a.ts', '@prisma/client/runtime/client', '@prisma belongs in source/prisma/'],
    ['nest/a.ts', 'ioredis', 'ioredis belongs in protocol/backend/valkey/'],
    ['codec/a.ts', 'arktype', 'arktype belongs in codec/row-types.ts'],
  ])('%s -> %s is refused, also as a type and through createRequire', (path, specifier, message) => {
    for (const text of [
      `import { x } from '${specifier}'`,
      `import type { X } from '${specifier}'`,
      `const x = load('${specifier}')`,
    ]) {
      expect(inLibrary(path, text)).toEqual([expect.stringContaining(message)])
    }
  })

  it('knows which parts import the event loop', () => {
    const text = `import { Slicer } from '@model-cache/event-loop/internal'\nexport const y = Slicer`
    expect(inLibrary('cache/a.ts', text)).toEqual([])
    expect(inLibrary('codec/a.ts', text)).toEqual([
      expect.stringContaining('@model-cache/event-loop belongs in cache/'),
    ])
  })

  it('knows the parts of other packages', () => {
    const importing = (specifier: string) => `import { x } from '${specifier}'\nexport const y = x`
    const refused = [expect.stringContaining('event-loop/ may import errors.ts')]
    expect(inEventLoop('a.ts', importing('./nest/event-loop.module.js'))).toEqual(refused)
    expect(inEventLoop('a.ts', importing('./metrics/registry.js'))).toEqual(refused)
    expect(inEventLoop('nest/a.ts', importing('../metrics/registry.js'))).toEqual([])
    expect(inEventLoop('nest/a.ts', importing('@nestjs/common'))).toEqual([])
    expect(inEventLoop('a.ts', importing('prom-client'))).toEqual([
      expect.stringContaining('prom-client belongs in event-loop/metrics/registry.ts'),
    ])
    expect(inEventLoop('nest/a.spec.ts', importing('../../../model-cache/src/errors.js'))).toHaveLength(1)
  })

  it('lets cache/ name the types of a definition and nothing else of their files', () => {
    const from = (specifier: string) => ({
      asType: inLibrary('cache/a.ts', `import type { X } from '${specifier}'`),
      asNamedType: inLibrary('cache/a.ts', `import { type X } from '${specifier}'`),
      asValue: inLibrary('cache/a.ts', `import { x } from '${specifier}'`),
      asBoth: inLibrary('cache/a.ts', `import { x, type X } from '${specifier}'`),
    })
    const refused = [expect.stringContaining('and the types of codec/exact-schema.ts')]
    expect(from('../codec/stringifier.js')).toEqual({
      asType: [],
      asNamedType: [],
      asValue: refused,
      asBoth: refused,
    })
    expect(from('../codec/compile-codec.js').asType).toEqual(refused)
  })

  it('allows barrels as entry points only', () => {
    const text = `export { a } from './a.js'\nexport type { B } from './b.js'`
    expect(inLibrary('codec/index.ts', text)).toEqual([])
    expect(inLibrary('cache/index.ts', text)).toEqual([expect.stringContaining('cache/index.ts: a barrel')])
    expect(inLibrary('cache/all.ts', text)).toEqual([expect.stringContaining('cache/all.ts: a barrel')])
    expect(inLibrary('cache/one.ts', `${text}\nexport const c = 1`)).toEqual([])
  })

  it('finds names that two files of the library export', () => {
    const found = namesTwice({
      'libs/model-cache/src/codec/a.ts': 'export function nameOf() {}\nexport const other = 1',
      'libs/model-cache/src/cache/b.ts': `export interface nameOf {}\nexport { other } from '../codec/a.js'`,
      'libs/model-cache/src/cache/b.spec.ts': 'export const nameOf = 1',
    })
    expect(found).toEqual(['nameOf: codec/a.ts, cache/b.ts export it; rename all but one, or export none'])
  })

  it('finds cycles, also those of types', () => {
    const found = violationsOf({
      'libs/model-cache/src/codec/a.ts': `import { b } from './b.js'\nexport const a = b`,
      'libs/model-cache/src/codec/b.ts': `import { c } from './c.js'\nexport const b = c`,
      'libs/model-cache/src/codec/c.ts': `import type { A } from './a.js'\nexport const c = 1`,
      'libs/model-cache/src/codec/d.ts': `import { b } from './b.js'\nexport const d = b`,
    })
    expect(found).toEqual([
      expect.stringContaining('codec/a.ts -> codec/b.ts -> codec/c.ts -> codec/a.ts: a cycle'),
    ])
  })

  it.each(['apps/bench/src', 'prisma/import', 'scripts', 'test/support'])('finds cycles in %s', (folder) => {
    const found = violationsOf({
      [`${folder}/a.ts`]: `import type { B } from './parts/b.ts'\nexport type A = B`,
      [`${folder}/parts/b.ts`]: `import { a } from '../a.js'\nexport type B = typeof a`,
    })
    expect(found).toEqual([
      expect.stringContaining(`${folder}/a.ts -> ${folder}/parts/b.ts -> ${folder}/a.ts: a cycle`),
    ])
  })

  it('keeps specs of the library away from what uses it', () => {
    for (const specifier of [
      '../../../../apps/auction/src/main.js',
      '#prisma/client/client.js',
      '../../../../prisma/seed.js',
      '../../../event-loop/src/slicer.js',
    ]) {
      const text = `import { x } from '${specifier}'`
      expect(inLibrary('cache/a.spec.ts', text)).toEqual([expect.stringContaining('outside the package')])
    }
    expect(inLibrary('cache/a.spec.ts', `import { x } from '../../../../test/support/servers.js'`)).toEqual(
      [],
    )
  })

  it('leaves the arrows to the specs of the library', () => {
    expect(
      inLibrary('codec/a.spec.ts', `import { x } from '../protocol/backend/valkey/valkey-store.js'`),
    ).toEqual([])
    expect(inLibrary('codec/a.spec.ts', `import { x } from 'model-cache/codec'`)).toEqual([])
  })

  it('lets what tests share have the types of any part, and no more', () => {
    const supporting = (statement: string) =>
      violationsOf({
        'test/support/a.ts': `${statement} { x } from '../../libs/follow/src/database-log.js'`,
      })
    expect(supporting('import type')).toEqual([])
    expect(supporting('import')).toHaveLength(1)
  })

  it('lets tests call commands, but not torture', () => {
    const calling = (folder: string) =>
      violationsOf({
        [`test/${folder}/a.ts`]: `import { x } from '../../libs/cli/src/run-command-line.js'`,
      })
    expect(calling('e2e')).toEqual([])
    expect(calling('torture')).toHaveLength(1)
  })

  it('has torture enter the bench in one place', () => {
    const importing = (path: string, up: string) =>
      violationsOf({ [path]: `import { x } from '${up}apps/bench/src/harness/rounds.ts'` })
    expect(importing('test/torture/chaos/a.ts', '../../../')).toEqual([
      'test/torture/chaos/a.ts: imports ../../../apps/bench/src/harness/rounds.ts; torture enters the bench through test/torture/bench/',
    ])
    expect(importing('test/torture/bench/harness.ts', '../../../')).toEqual([])
    expect(importing('test/e2e/a.spec.ts', '../../')).toEqual([])
  })

  it.each([
    'apps/auction/src/a.ts',
    'apps/bench/src/a.ts',
    'test/e2e/a.spec.ts',
    'test/torture/a.ts',
    'prisma/seed.ts',
  ])('has %s enter through the public entry points', (path) => {
    const importing = (specifier: string) => violationsOf({ [path]: `import { x } from '${specifier}'` })
    for (const entry of PUBLIC_NAMES) {
      expect(importing(entry)).toEqual([])
    }
    expect(importing('@model-cache/event-loop/internal')).toHaveLength(1)
    const up = '../'.repeat(path.split('/').length - 1)
    expect(importing(`${up}libs/model-cache/src/index.js`)).toHaveLength(1)
    expect(importing('model-cache/dist/cache/model-cache.js')).toHaveLength(1)
  })
})
