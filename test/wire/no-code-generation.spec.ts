import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '../..')

/** Runs in a process of its own: Node decides at its start whether text may become code. */
const script = (entry: string) => `
  import assert from 'node:assert/strict'
  import { type } from 'arktype'
  import { compileCodec, undecodable, bytes } from ${JSON.stringify(entry)}
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
  console.log(codec.encode(row))
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
    ['asked for', 'json', []],
    ['asked for in a process that forbids code', 'json', ['--disallow-code-generation-from-strings']],
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
})
