/** The client and the tables of a schema, generated once for all runs. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = join(__dirname, '../..')
const CLIENTS = join(ROOT, 'node_modules/.cache/model-cache/prisma-tests')
const OWN = ['tables.ts', 'tables-generator.ts'].map((name) => join(__dirname, name))

export interface Generated {
  /** Where the module of the client is. */
  readonly client: string
  /** The statements that create the tables. */
  readonly tables: string
}

export async function generateClient(schema: string): Promise<Generated> {
  const hash = createHash('sha256')
    .update(schema)
    .update(readFileSync(join(ROOT, 'node_modules/prisma/package.json')))
  for (const file of OWN) hash.update(readFileSync(file))
  const folder = join(CLIENTS, hash.digest('hex').slice(0, 24))
  if (!existsSync(folder)) {
    const empty = `${folder}-${process.pid}`
    rmSync(empty, { recursive: true, force: true })
    mkdirSync(empty, { recursive: true })
    await generate(empty, schema)
    // Another process may have been faster.
    if (existsSync(folder)) rmSync(empty, { recursive: true })
    else renameSync(empty, folder)
  }
  const entry = join(
    folder,
    'client',
    /provider\s*=\s*"prisma-client"/.test(schema) ? 'client.ts' : 'index.js',
  )
  return { client: entry, tables: readFileSync(join(folder, 'tables.sql'), 'utf8') }
}

async function generate(folder: string, schema: string): Promise<void> {
  const tables = `generator tables {\n  provider = "node ${OWN[1]}"\n  output = "."\n}\n`
  writeFileSync(join(folder, 'schema.prisma'), `${schema}\n${tables}`)
  await promisify(execFile)(
    process.execPath,
    [join(ROOT, 'node_modules/prisma/build/index.js'), 'generate', '--no-hints', '--schema', 'schema.prisma'],
    {
      cwd: folder,
      // It must exist, and is not run.
      env: { ...process.env, CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: process.execPath },
    },
  )
}
