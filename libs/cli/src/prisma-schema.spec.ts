import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readPrismaConfig, readPrismaSchema } from './prisma-schema.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-cache-schema-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function project(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** Gives the project the reader of this repository, which comes with the package `prisma`. */
function installPrisma(): void {
  const config = createRequire(import.meta.url).resolve('@prisma/config')
  const packages = /^.*node_modules/.exec(config)![0]
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(packages, '@prisma'), join(folder, 'node_modules/@prisma'))
}

describe('readPrismaSchema', () => {
  it('reads all files of a folder, in the order of their names', async () => {
    project({ 'db/b.prisma': 'B', 'db/a/c.prisma': 'C', 'db/a.sql': 'SELECT 1' })
    expect(await readPrismaSchema(folder, 'db')).toEqual({
      text: 'C\nB',
      client: './generated/prisma/client.js',
    })
  })

  it('prefers the schema that prisma.config.ts names', async () => {
    installPrisma()
    project({
      'prisma.config.ts': `export default { schema: 'db/lots.prisma' }`,
      'db/lots.prisma': 'configured',
      'schema.prisma': 'other',
    })
    expect((await readPrismaSchema(folder, undefined)).text).toBe('configured')
  })

  it('prefers the folder of Prisma to that of the project', async () => {
    project({ 'prisma/schema.prisma': 'of Prisma', 'schema.prisma': 'of the project' })
    expect((await readPrismaSchema(folder, undefined)).text).toBe('of Prisma')
  })

  it.each([
    ['generator client { provider = "prisma-client" output = "../src/db" }', './src/db/client.js'],
    ['generator client{provider="prisma-client" output="../src/db"}', './src/db/client.js'],
    [
      'generator   client   {\n  provider   =   "prisma-client"\n  output     =   "../src/db"\n}',
      './src/db/client.js',
    ],
    ['generator client { output = "../../db" provider = "prisma-client" }', '../db/client.js'],
    [
      'generator other { provider = "other" output = "./other" }\n' +
        'generator client { provider = "prisma-client" output = "./db" }',
      './prisma/db/client.js',
    ],
    ['generator client { provider = "prisma-client" }', './generated/prisma/client.js'],
    ['generator client { provider = "prisma-client-js" output = "./db" }', './prisma/db/index.js'],
    ['generator client { provider = "prisma-client-js" }', '@prisma/client'],
    [
      'generator old { provider = "prisma-client-js" }\n' +
        'generator client { provider = "prisma-client" output = "./db" }',
      './prisma/db/client.js',
    ],
  ])('finds the client of %j', async (text, client) => {
    project({ 'prisma/schema.prisma': text })
    expect((await readPrismaSchema(folder, undefined)).client).toBe(client)
  })

  it('finds the client in any of several files', async () => {
    project({
      'db/lot.prisma': 'model Lot { id Int @id }',
      'db/main/schema.prisma': 'generator client { provider = "prisma-client" output = "./client" }',
    })
    expect((await readPrismaSchema(folder, 'db')).client).toBe('./db/main/client/client.js')
  })
})

describe('readPrismaConfig', () => {
  it('reads the file of a project', async () => {
    installPrisma()
    project({ 'prisma.config.ts': `export default { datasource: { url: 'postgresql://db/shop' } }` })
    expect((await readPrismaConfig(folder)).datasource).toEqual({ url: 'postgresql://db/shop' })
  })

  it('reads it where pnpm has installed Prisma, and the project does not see the reader', async () => {
    const config = createRequire(import.meta.url).resolve('@prisma/config')
    const own = join(folder, 'node_modules/.pnpm/prisma/node_modules')
    project({
      'prisma.config.ts': `export default { datasource: { url: 'postgresql://db/shop' } }`,
      'node_modules/.pnpm/prisma/node_modules/prisma/package.json': '{ "name": "prisma" }',
    })
    symlinkSync(join(/^.*node_modules/.exec(config)![0], '@prisma'), join(own, '@prisma'))
    symlinkSync(join(own, 'prisma'), join(folder, 'node_modules/prisma'))
    expect((await readPrismaConfig(folder)).datasource).toEqual({ url: 'postgresql://db/shop' })
  })

  it.each([
    ['is none', {}],
    ['cannot be read', { 'prisma.config.ts': `throw new Error('there is no DATABASE_URL')` }],
  ])('is empty if there %s', async (_, files) => {
    installPrisma()
    project(files)
    expect((await readPrismaConfig(folder)).datasource).toBeUndefined()
  })

  it('is empty without the package', async () => {
    project({ 'prisma.config.ts': `export default { datasource: { url: 'postgresql://db/shop' } }` })
    expect(await readPrismaConfig(folder)).toEqual({})
  })
})
