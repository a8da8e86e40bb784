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
  ...manifest('@prisma/client', '6.18.0'),
  ...manifest('prisma', '7.1.0'),
  ...manifest('ioredis', '5.4.2'),
  'prisma/schema.prisma': `
    datasource db { provider = "postgresql" }
    generator client { provider = "prisma-client"
      output = "../src/generated" }
    model User { id Int @id
      email String @unique }
    model Lot { id Int @id
      name String }`,
}
