/**
 * Generates the Prisma clients of the project and of the tests, and the modules of the Lua scripts and of the inspector's page.
 *
 * `prisma generate` does not run the schema engine, but downloads it if the file is missing. Pointing it at an existing
 * executable avoids the download. Prisma 6 also wants the file of an engine that its clients with `engineType = "client"` do not use.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deriveSchema, type OtherProvider } from '../test/integration/differential/dialects/derive-schema.ts'
import { includeLua } from './include-lua.ts'
import { includePage } from './include-page.ts'

const SCHEMAS = [
  'prisma/schema.prisma',
  'test/integration/differential/schema.prisma',
  'test/integration/differential/reads/schema.prisma',
  'test/integration/stacked/schema.prisma',
]
/** Schemas that are generated for other databases as well, beside them in `derived/`. */
const DERIVED: readonly (readonly [schema: string, provider: OtherProvider])[] = [
  ['test/integration/differential/schema.prisma', 'mysql'],
  ['test/integration/differential/schema.prisma', 'sqlite'],
  ['test/integration/differential/reads/schema.prisma', 'mysql'],
  ['test/integration/differential/reads/schema.prisma', 'sqlite'],
]

includeLua()
includePage()
const derived = DERIVED.map(([schema, provider]) => {
  const path = join(dirname(schema), 'derived', `${provider}.prisma`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, deriveSchema(readFileSync(schema, 'utf8'), provider))
  return path
})
const codes = await Promise.all(
  [...SCHEMAS, ...derived].map(async (schema) => {
    const child = spawn('prisma', ['generate', '--no-hints', '--schema', schema], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
        PRISMA_QUERY_ENGINE_LIBRARY: process.execPath,
        ...process.env,
      },
      shell: process.platform === 'win32',
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    return code ?? 1
  }),
)
process.exit(Math.max(...codes))
