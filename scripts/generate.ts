/**
 * Generates the Prisma clients: that of the project into prisma/client, and those of tests beside their schemas.
 *
 * `prisma generate` never runs the schema engine, it only checks that the file exists and downloads it
 * when it does not. Pointing it at an existing executable keeps the set-up working without a network.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const SCHEMAS = ['prisma/schema.prisma', 'test/integration/differential/schema.prisma']

const codes = await Promise.all(
  SCHEMAS.map(async (schema) => {
    const child = spawn('prisma', ['generate', '--no-hints', '--schema', schema], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, ...process.env },
      shell: process.platform === 'win32',
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    return code ?? 1
  }),
)
process.exit(Math.max(...codes))
