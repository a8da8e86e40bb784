import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readSource } from './read-source.js'

describe('readSource', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'read-source-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const read = (given?: readonly string[]): [places: string[], problems: string[]] => {
    const { files, problems } = readSource(folder, given, join(folder, 'src/client'))
    return [files.map((file) => file.placeOf(file.nodes[1]!)), problems.map(({ id }) => id)]
  }
  const parser = createRequire(import.meta.url).resolve('typescript')

  const withParser = (): void =>
    write('node_modules/typescript/index.js', `module.exports = require(${JSON.stringify(parser)})`)

  it('reads what is written by hand, without tests, with the TypeScript of the project', () => {
    withParser()
    for (const path of ['src/a.ts', 'src/b/c.jsx', 'src/a.spec.ts', 'src/client/d.ts', 'src/e.d.ts', 'f.ts'])
      write(path, '\nrun()')
    expect(read()).toStrictEqual([['src/a.ts:2', 'src/b/c.jsx:2'], []])
  })

  it('reads the usual folders that exist', () => {
    withParser()
    for (const path of ['packages/d.ts', 'libs/c.ts', 'apps/b.ts', 'other/e.ts']) write(path, 'run()')
    expect(read()).toStrictEqual([['apps/b.ts:1', 'libs/c.ts:1', 'packages/d.ts:1'], []])
  })

  it('reads the folders and files that are named, each file once', () => {
    withParser()
    for (const path of ['src/a.ts', 'other/b.ts', 'other/c.ts', 'build/d.ts']) write(path, 'run()')
    expect(read(['other/c.ts', 'other', 'build', 'missing'])).toStrictEqual([
      ['other/c.ts:1', 'other/b.ts:1', 'build/d.ts:1'],
      [],
    ])
  })

  it.each([
    ...['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs'].map((end) => [`a.${end}`, true] as const),
    ...['a.d.ts', 'a.d.mts', 'a.json', 'a.tsbuildinfo', 'a.css', 'tests', 'a.xts'].map(
      (name) => [name, false] as const,
    ),
    ...['spec', 'test', 'e2e-spec', 'e2e', 'stories'].flatMap((kind) =>
      ['ts', 'tsx', 'mjs', 'cjs'].map((end) => [`a.${kind}.${end}`, false] as const),
    ),
    ...['spec.ts', 'a.spec.tsx.ts', 'a.inspect.ts'].map((name) => [name, true] as const),
  ])('reads %s: %p', (name, isRead) => {
    withParser()
    write(`src/${name}`, 'run()')
    expect(read()[0]).toEqual(isRead ? [`src/${name}:1`] : [])
  })

  it.each([
    ...['dist', 'build', 'generated', 'test', 'tests', '__tests__', 'e2e', 'node_modules', '.next'].map(
      (name) => [name, false] as const,
    ),
    ...['distances', 'rebuild', 'outbox', 'latest', 'a.b'].map((name) => [name, true] as const),
  ])('reads the folder %s: %p', (name, isRead) => {
    withParser()
    write(`src/${name}/a.ts`, 'run()')
    expect(read()[0]).toEqual(isRead ? [`src/${name}/a.ts:1`] : [])
  })

  it('leaves out files that are larger than people write them', () => {
    withParser()
    const text = 'run()'
    write('src/a.ts', text.padEnd(500_000))
    write('src/b.ts', text.padEnd(500_001))
    expect(read()[0]).toEqual(['src/a.ts:1'])
  })

  it('leaves out links, which may lead in a circle', () => {
    withParser()
    write('src/a.ts', 'run()')
    symlinkSync(join(folder, 'src'), join(folder, 'src/again'))
    expect(read()[0]).toEqual(['src/a.ts:1'])
  })

  it.each([
    ['no TypeScript', undefined],
    ['a TypeScript without a parser', `exports.version = '7.0.2'`],
  ])('says that a project has %s, if it has source', (_, text) => {
    if (text !== undefined) write('node_modules/typescript/index.js', text)
    expect(read()).toStrictEqual([[], []])
    write('src/a.ts', 'run()')
    expect(read()).toStrictEqual([[], ['source.typescript']])
  })
})
