import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtLibrary } from '../support/build-library.js'

const root = join(import.meta.dirname, '../..')

/** Starts a Nest application with a cache, and prints the code of the error that ends its start. */
const application = (entry: string) => `
  import 'reflect-metadata'
  import { NestFactory } from '@nestjs/core'
  import { type } from 'arktype'
  import { ModelCacheModule, modelCaches } from ${JSON.stringify(entry)}
  import { MemoryStore } from ${JSON.stringify(new URL('advanced.js', entry).href)}
  const cache = modelCaches().defineModelCache()({ model: 'Lot', schema: type({ id: 'string' }), id: 'id', ttl: '1m', dependsOn: [], load: () => [] })
  const imports = [ModelCacheModule.forRoot({ store: new MemoryStore() }), ModelCacheModule.forFeature([cache])]
  try {
    const app = await NestFactory.createApplicationContext({ module: class App {}, imports }, { logger: false, abortOnError: false })
    await app.close()
    console.log('started')
  } catch ({ code }) {
    console.log(code)
  }
`

// Node decides at its start whether text may become code.
it.each([
  [
    'refuses the start of a process that forbids code generation',
    ['--disallow-code-generation-from-strings'],
  ],
  ['starts in any other process', []],
])('%s', async (_, flags) => {
  const entry = pathToFileURL(await builtLibrary()).href
  const args = [...flags, '--input-type=module', '-e', application(entry)]
  const output = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })
  expect(output).toBe(flags.length > 0 ? 'E_NO_CODE_GENERATION\n' : 'started\n')
})
