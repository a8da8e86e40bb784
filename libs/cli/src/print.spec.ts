import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { UsageError } from './command.js'
import { print } from './print.js'
import { printCommand } from './print-command.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-cache-print-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function project(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

const user = 'model User {\n  id Int @id\n  name String?\n  key String /// @cache(omit)\n}\n'
const client = 'generator client {\n  provider = "prisma-client"\n  output = "../src/generated"\n}\n'

describe('print', () => {
  it('prints a module', async () => {
    project({ 'prisma/schema.prisma': client + user })
    expect(await print(folder, { model: 'User' })).toBe(`import { type } from 'arktype'
import { modelCaches } from 'model-cache'
import type { Prisma } from './src/generated/client.js'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

export const UserRow = type({
  id: 'number',
  name: 'string | null',
})

export const userCache = defineModelCache('User', { omit: { key: true }, schema: UserRow, ttl: '10m' })
`)
  })

  it('prints the lookups that a cache of the model could have', async () => {
    project({
      'schema.prisma': `
        model Post {
          id Int @id
          place Int
          slug String? @unique
          code String @unique @db.Char(3)
          userId Int
          user User @relation(fields: [userId], references: [id])
          tags Tag[]
          @@unique([userId, place])
        }
        model User { id Int @id
          posts Post[] }
        model Tag { name String @id
          posts Post[] }
        datasource db { provider = "postgresql" }`,
    })
    expect(await print(folder, { model: 'Post' })).toContain(`
export const postCache = defineModelCache('Post', {
  schema: PostRow,
  ttl: '10m',
  // Keep what you read by: a write that enters an entry of a lookup invalidates it.
  unique: { userId_place: ['userId', 'place'], slug: 'slug' },
  lists: { ofUser: { by: 'userId' }, withTags: { through: 'tags' } },
})
`)
  })

  it.each([
    ['schema.prisma', undefined],
    ['prisma/schema.prisma', undefined],
    ['db/main.prisma', 'db/main.prisma'],
    ['db/models/user.prisma', 'db'],
  ])('finds %s', async (path, schema) => {
    project({ [path]: user })
    expect(await print(folder, { model: 'User', schema, client: '#client' })).toContain(`from '#client'`)
  })

  it.each([
    ['no schema', {}, { model: 'User' }, /no Prisma schema in .*--schema/],
    [
      'a schema that is not there',
      {},
      { model: 'User', schema: 'x.prisma' },
      /no Prisma schema at .*x\.prisma/,
    ],
    ['no model', { 'schema.prisma': user }, { model: undefined }, /Name a model: User\./],
    [
      'a model that is not in the client',
      { 'schema.prisma': `${user}model Log { id Int @id\n  @@ignore }` },
      { model: 'Log' },
      /no model "Log"; it has User\./,
    ],
    ['an unknown model', { 'schema.prisma': user }, { model: 'Usr' }, /no model "Usr"; it has User\./],
  ])('refuses %s', async (_, files, options, message) => {
    project(files)
    await expect(print(folder, options)).rejects.toThrow(message)
  })
})

describe('printCommand', () => {
  async function run(...args: string[]): Promise<string> {
    const lines: string[] = []
    const code = await printCommand.run(args, {
      line: (text) => void lines.push(text),
      folder,
      environment: {},
    })
    expect(code).toBe(0)
    return lines.join('\n')
  }

  it('prints the definition of a model of the project', async () => {
    project({ 'schema.prisma': client + user })
    expect(`${await run('User')}\n`).toBe(await print(folder, { model: 'User' }))
  })

  it('takes another schema, and another client', async () => {
    project({ 'db/main.prisma': user, 'schema.prisma': 'model Other { id Int @id }' })
    const printed = await run('User', '--schema', 'db/main.prisma', '--client', '#client')
    expect(printed).toContain(`from '#client'`)
  })

  it('needs the name of one model', async () => {
    project({ 'schema.prisma': user })
    await expect(run()).rejects.toThrow('Name a model: User.')
    await expect(run('User', 'Other')).rejects.toThrow(new UsageError(printCommand.usage))
  })
})
