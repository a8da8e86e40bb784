import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtLibrary } from '../support/build-library.js'

const ROOT = join(import.meta.dirname, '../..')

const withoutPackages = (missing: readonly string[]) => `
  import { registerHooks } from 'node:module'
  registerHooks({
    resolve(specifier, context, next) {
      if (${JSON.stringify(missing)}.includes(specifier)) throw new Error(specifier + ' is not installed')
      return next(specifier, context)
    },
  })
`

/**
 * Starts an application whose cache is derived from the Prisma schema, where packages are not installed, and prints the error that ends
 * its start.
 */
const application = (entry: URL, options: string) => `
  await import('reflect-metadata')
  const { NestFactory } = await import('@nestjs/core')
  const { PrismaPg } = await import('@prisma/adapter-pg')
  const { ModelCacheModule, modelCaches } = await import(${JSON.stringify(entry.href)})
  const { MemoryStore } = await import(${JSON.stringify(new URL('advanced.js', entry).href)})
  const { PrismaClient } = await import(${JSON.stringify(new URL('../../../../prisma/client/client.js', entry).href)})
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: 'postgresql://localhost:1/none' }) })
  const { defineModelCache } = modelCaches()
  const caches = [defineModelCache('AuctionItem', { ttl: '1m' }), defineModelCache('User', { ttl: '1m', format: 'json' })]
  const imports = [
    ModelCacheModule.forRoot({ prisma, store: new MemoryStore(), writes: 'manual', ${options} }),
    ModelCacheModule.forFeature(caches),
  ]
  try {
    const app = await NestFactory.createApplicationContext({ module: class App {}, imports }, { logger: false, abortOnError: false })
    await app.close()
    console.log('started')
  } catch ({ code, message }) {
    console.log(code, message)
  }
`

/** Creates a codec of a schema by hand, then a stringifier, and prints what a row becomes, or the error. */
const codecByHand = (entry: URL) => `
  const { type } = await import('arktype')
  const { compileCodec, createStringifier } = await import(${JSON.stringify(new URL('codec/index.js', entry).href)})
  const schema = type({ id: 'string' })
  console.log(compileCodec(schema, { format: 'json' }).encode({ id: 'a' }))
  try {
    console.log(createStringifier()(schema).stringify({ id: 'a' }))
  } catch ({ code, message }) {
    console.log(code, message)
  }
`

function run(program: string, missing: readonly string[]): string {
  const args = ['--input-type=module', '-e', withoutPackages(missing) + program]
  return execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' }).trimEnd()
}

async function start(missing: readonly string[], options = ''): Promise<string> {
  return run(application(pathToFileURL(await builtLibrary()), options), missing)
}

describe('an application with caches that are derived from Prisma', () => {
  it('needs neither ArkType nor fast-json-stringify', async () => {
    expect(await start(['arktype', 'fast-json-stringify'])).toBe('started')
  })

  it('needs no prom-client if it exports no metrics', async () => {
    expect(await start(['prom-client'], 'registry: false')).toBe('started')
  })

  it('says what to do if prom-client is missing', async () => {
    expect(await start(['prom-client'])).toBe(
      'E_MISSING_PACKAGE @model-cache/event-loop: the package prom-client, which exports metrics, cannot be loaded. Install it: ' +
        'npm install prom-client. Or set `registry: false` for no metrics.',
    )
  })
})

describe('a stringifier by hand', () => {
  it('needs fast-json-stringify, and says so; a codec does not', async () => {
    const program = codecByHand(pathToFileURL(await builtLibrary()))
    expect(run(program, [])).toBe('{"id":"a"}\n{"id":"a"}')
    expect(run(program, ['fast-json-stringify'])).toBe(
      '{"id":"a"}\n' +
        'E_MISSING_PACKAGE model-cache: the package fast-json-stringify, which writes what `createStringifier` describes, cannot be ' +
        'loaded. Install it: npm install fast-json-stringify. Or leave out the `stringifier`: the derived one needs no package.',
    )
  })
})
