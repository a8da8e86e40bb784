import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Writes a project into a folder of its own. */
export function createProject(files: Readonly<Record<string, string>>): {
  readonly folder: string
  remove(): void
} {
  const folder = mkdtempSync(join(tmpdir(), 'model-cache-doctor-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}

const manifest = (name: string, version: string): Record<string, string> => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, version }),
})

/** A project with nothing as it should be. */
export const faultyProject: Readonly<Record<string, string>> = {
  'package.json': '{"type":"module"}',
  ...manifest('@prisma/client', '6.19.0'),
  ...manifest('prisma', '7.1.0'),
  ...manifest('ioredis', '5.4.2'),
  'prisma/schema.prisma': `
    datasource db { provider = "postgresql" }
    generator client { provider = "prisma-client"
      output = "../src/generated" }
    model User { id Int @id
      email String @unique
      passwordHash String
      avatar Bytes }
    model Lot { id Int @id
      name String }`,
  'prisma/sql/closeLots.sql': 'UPDATE "Lot" SET name = $1 RETURNING id',
  'src/caches.ts': `import { modelCaches } from 'model-cache'
const { defineModelCache } = modelCaches()
export const users = defineModelCache('User', { ttl: '30d' })
export const lots = defineModelCache('Lot', { follow: 'required' })
export const others = defineModelCache('Lott', { ttl: '1h' })
export const again = defineModelCache('Lot', { ttl: '1h' })
`,
  'src/jobs.ts': `import { PrismaClient } from './generated/client.js'
const prisma = new PrismaClient()
export const close = () => prisma.$executeRaw\`UPDATE "Lot" SET name = 'closed'\`
export const run = (sql: string) => prisma.$queryRawUnsafe(sql)
export const typed = () => prisma.$queryRawTyped(closeLots('closed'))
// model-cache: invalidated
export const known = () => prisma.$executeRaw\`DELETE FROM "Lot"\`
export const read = () => prisma.$queryRaw\`SELECT 1 FROM "Lot" FOR UPDATE\`
`,
}
