import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Corpus } from './corpora.ts'

/** Not below node_modules, where Node takes no TypeScript. */
const FOLDER = join(import.meta.dirname, '../../../../../dist/coverage')

type PrismaClientClass = new (options: object) => object

/** Generates the client of a corpus as TypeScript that Node runs. Only this suite needs it. */
export async function generateClient({ name, schema }: Corpus): Promise<PrismaClientClass> {
  const folder = join(FOLDER, name)
  await mkdir(folder, { recursive: true })
  const text = await readFile(schema, 'utf8')
  await writeFile(
    join(folder, 'schema.prisma'),
    text.replace('importFileExtension = "js"', 'importFileExtension = "ts"'),
  )
  const child = spawn('prisma', ['generate', '--no-hints', '--schema', join(folder, 'schema.prisma')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
    shell: process.platform === 'win32',
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`prisma generate fails for ${schema}.`)
  const module = (await import(pathToFileURL(join(folder, 'client/client.ts')).href)) as { PrismaClient: PrismaClientClass }
  return module.PrismaClient
}
