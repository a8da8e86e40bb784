import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { instantiationsPerModel, modelsIn, schemaOf } from './instantiations.js'

const root = join(import.meta.dirname, '../..')

it.each([10, 78, 300])(
  'a definition has the compiler instantiate 1,000 types at most, of %i models',
  (count) => {
    const folder = `node_modules/.cache/model-cache/types/${count}`
    mkdirSync(join(root, folder), { recursive: true })
    const schema = schemaOf(count)
    writeFileSync(join(root, folder, 'schema.prisma'), schema)
    const prisma = join(root, 'node_modules/prisma/build/index.js')
    execFileSync(
      process.execPath,
      [prisma, 'generate', '--no-hints', '--schema', join(folder, 'schema.prisma')],
      // As in scripts/generate.ts.
      { cwd: root, stdio: 'pipe', env: { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, ...process.env } },
    )
    const client = `../../${folder}/client/client.js`
    expect(instantiationsPerModel(client, modelsIn(schema), `{ ttl: '1m' }`)).toBeLessThanOrEqual(1_000)
  },
)
