/**
 * Generates the Prisma client into prisma/client.
 *
 * `prisma generate` never runs the schema engine, it only checks that the file exists and downloads it
 * when it does not. Pointing it at an existing executable keeps the set-up working without a network.
 */
import { spawnSync } from 'node:child_process'

const { status } = spawnSync('prisma', ['generate', '--no-hints'], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, ...process.env },
  shell: process.platform === 'win32',
})
process.exit(status ?? 1)
