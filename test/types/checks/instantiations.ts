import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { instantiationsPerModel, modelsIn } from '../instantiations.js'

const schema = readFileSync(join(import.meta.dirname, '../../../prisma/schema.prisma'), 'utf8')

// Seconds depend on the machine; these counts do not. The compiler's own one is what @ark/attest reads, too, but that needs a file on disk for
// each expression, and here hundreds of definitions are counted together. Prisma's `GetPayload` alone instantiates 650 types for such a model.
it('a definition has the compiler instantiate 1,000 types at most', () => {
  const count = instantiationsPerModel('#prisma/client/client.js', modelsIn(schema), `{ ttl: '1m' }`)
  expect(count).toBeGreaterThan(300)
  expect(count).toBeLessThanOrEqual(1_000)
})
