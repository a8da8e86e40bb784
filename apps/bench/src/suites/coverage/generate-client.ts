import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Not below node_modules, where Node takes no TypeScript. */
const FOLDER = join(import.meta.dirname, '../../../../../dist/coverage')

/** Generates the client of a corpus as TypeScript that Node runs. Only this suite needs it. */
export async function generateClient(name: string, schema: string): Promise<new (options: object) => object> {
  const folder = join(FOLDER, name)
  const file = join(folder, 'schema.prisma')
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, schema.replace('importFileExtension = "js"', 'importFileExtension = "ts"'))
  execFileSync('prisma', ['generate', '--no-hints', '--schema', file], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
    shell: process.platform === 'win32',
  })
  return (await import(pathToFileURL(join(folder, 'client/client.ts')).href)).PrismaClient
}
