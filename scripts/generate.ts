/**
 * Generates the Prisma clients of the project and of the tests, and the modules of the Lua scripts and of the inspector's page. A client that
 * is there, of this schema and this Prisma, stays.
 *
 * `prisma generate` does not run the schema engine, but downloads it if the file is missing. Pointing it at an existing
 * executable avoids the download. Prisma 6 also wants the file of an engine that its clients with `engineType = "client"` do not use.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deriveSchema } from '../test/integration/differential/dialects/derive-schema.ts'
import { deriveDemoSchema } from './derive-demo-schema.ts'
import { GeneratedClient } from './generated-client.ts'
import { includeLua } from './include-lua.ts'
import { includePage } from './include-page.ts'

const SCHEMAS = [
  'prisma/schema.prisma',
  'test/integration/differential/schema.prisma',
  'test/integration/differential/reads/schema.prisma',
  'test/integration/stacked/schema.prisma',
  'apps/bench/src/suites/pays/schema.prisma',
]
const PROVIDERS = ['mysql', 'sqlite'] as const
/** Schemas that are generated for other databases as well. */
const DERIVED = PROVIDERS.flatMap((provider) => [
  {
    from: 'prisma/schema.prisma',
    to: `prisma/${provider}/schema.prisma`,
    derive: (schema: string) => deriveDemoSchema(schema, provider),
  },
  ...['test/integration/differential', 'test/integration/differential/reads'].map((folder) => ({
    from: `${folder}/schema.prisma`,
    to: `${folder}/derived/${provider}.prisma`,
    derive: (schema: string) => deriveSchema(schema, provider),
  })),
])

includeLua()
includePage()
for (const { derive, from, to } of DERIVED) {
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(to, derive(readFileSync(from, 'utf8')))
}
const codes = await Promise.all([...SCHEMAS, ...DERIVED.map(({ to }) => to)].map(generate))
process.exit(Math.max(...codes))

/** @returns the exit code */
async function generate(schema: string): Promise<number> {
  const client = new GeneratedClient(join(import.meta.dirname, '..'), schema)
  if (client.isCurrent) return 0
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
  if (code === 0) client.note()
  return code ?? 1
}
