import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '../..')

/** Runs in a process of its own: Node decides at its start whether text may become code. */
const script = (entry: string) => `
  import assert from 'node:assert/strict'
  import { type } from 'arktype'
  import { compileCodec, createCodec, undecodable, bytes } from ${JSON.stringify(entry)}
  assert.throws(() => new Function('return 1'))
  const codec = compileCodec(type({ id: 'string', at: 'Date | null', 'views?': 'bigint', image: bytes, tags: 'string[]' }), { format: process.argv[1] })
  const row = { id: 'a', at: new Date(5), views: 7n, image: new Uint8Array([1]), tags: ['x'] }
  assert.deepStrictEqual(codec.decode(codec.encode({ ...row, secret: 1 })), row)
  assert.deepStrictEqual(codec.clone(row), row)
  const frozen = codec.freeze(codec.clone(row))
  assert.ok(Object.isFrozen(frozen) && Object.isFrozen(frozen.tags))
  assert.throws(() => frozen.at.setTime(0), /frozen row/)
  assert.equal(codec.decode('{"id":"a"}'), undecodable)
  assert.throws(() => codec.encode({ ...row, at: 'soon' }), { code: 'E_ENCODE' })
  const turned = createCodec({ ...codec.plan, fields: codec.plan.fields.toReversed() }, { format: process.argv[1] })
  assert.equal(turned.fingerprint, codec.fingerprint)
  for (const read of [turned.decode(codec.encode(row)), turned.decode(turned.encode(row)), turned.normalize(row), turned.clone(row)]) {
    assert.deepStrictEqual(read, row)
    assert.deepEqual(Object.keys(read), ['tags', 'image', 'id', 'at', 'views'])
  }
  console.log(codec.encode(row))
`

/** Two models in a Nest application; prints what its logger received. */
const application = (entry: string) => `
  import 'reflect-metadata'
  import { NestFactory } from '@nestjs/core'
  import { type } from 'arktype'
  import { defineModelCache, getModelCacheToken, ModelCacheModule } from ${JSON.stringify(entry)}
  import { MemoryStore } from ${JSON.stringify(new URL('advanced.js', entry))}
  const row = { id: 'a', media: { kind: 'video', at: new Date(5) } }
  const media = type({ kind: "'image'", at: 'string' }).or({ kind: "'video'", at: 'Date' })
  const [one, two] = ['One', 'Two'].map((model) =>
    defineModelCache()({ model, schema: type({ id: 'string', media }), id: 'id', ttl: '1m', dependsOn: [], load: () => [row] }),
  )
  const warnings = []
  const log = () => {}
  const logger = { log, error: log, debug: log, verbose: log, warn: (message) => warnings.push(message) }
  const imports = [ModelCacheModule.forRoot({ store: new MemoryStore() }), ModelCacheModule.forFeature([one, two])]
  const app = await NestFactory.createApplicationContext({ module: class App {}, imports }, { logger })
  const cache = app.get(getModelCacheToken(one))
  await cache.get('a')
  const { media: { at } } = await cache.get('a')
  await app.close()
  console.log(JSON.stringify({ warnings, isDate: at instanceof Date && at.getTime() === 5 }))
`

describe('a process that forbids code generation', () => {
  let folder: string

  beforeAll(() => {
    const cache = join(root, 'node_modules/.cache')
    mkdirSync(cache, { recursive: true })
    folder = mkdtempSync(join(cache, 'no-code-generation-'))
    const swc = join(root, 'node_modules/@swc/cli/bin/swc.js')
    execFileSync(process.execPath, [swc, 'src', '--out-dir', folder, '--config-file', join(root, '.swcrc')], {
      cwd: join(root, 'libs/model-cache'),
    })
  })

  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it.each([
    ['configured', 'json', []],
    [
      'configured in a process that forbids code generation',
      'json',
      ['--disallow-code-generation-from-strings'],
    ],
    ['in its place in a process that forbids code', 'record', ['--disallow-code-generation-from-strings']],
  ])('writes and reads the same json format %s', (_, format, flags) => {
    const entry = pathToFileURL(join(folder, 'src/codec/index.js')).href
    const source =
      flags.length > 0 ? script(entry) : script(entry).replace(/assert.throws\(\(\) => new Function.*/, '')
    const text = execFileSync(process.execPath, [...flags, '--input-type=module', '-e', source, format], {
      cwd: root,
      encoding: 'utf8',
    })
    expect(JSON.parse(text)).toEqual({
      at: '1970-01-01T00:00:00.005Z',
      id: 'a',
      image: 'AQ==',
      tags: ['x'],
      views: '7',
    })
  })

  it.each([
    ['says so once, however many models it has', ['--disallow-code-generation-from-strings'], 1],
    ['says nothing when it does not', [], 0],
  ])('%s', (_, flags, times) => {
    const entry = pathToFileURL(join(folder, 'src/index.js')).href
    const args = [...flags, '--input-type=module', '-e', application(entry)]
    const output = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })) as {
      warnings: string[]
    }
    const warning =
      'This process forbids code generation (--disallow-code-generation-from-strings), so rows are written as JSON and ' +
      'read without compiled code. Everything works, but takes several times as long, and rows in the record format, ' +
      'which processes without the flag store, are not shared with them. Start without the flag, or give every process ' +
      "format: 'json' to share rows."
    expect(output).toEqual({ warnings: Array.from({ length: times }, () => warning), isDate: true })
  })
})
