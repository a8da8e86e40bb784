import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
  const read = (): [places: string[], problems: string[]] => {
    const { files, problems } = readSource(folder, undefined, join(folder, 'src/client'))
    return [files.map((file) => file.placeOf(file.nodes[1]!)), problems.map(({ id }) => id)]
  }
  const parser = createRequire(import.meta.url).resolve('typescript')

  it('reads what is written by hand, without tests, with the TypeScript of the project', () => {
    write('node_modules/typescript/index.js', `module.exports = require(${JSON.stringify(parser)})`)
    for (const path of ['src/a.ts', 'src/b/c.jsx', 'src/a.spec.ts', 'src/client/d.ts', 'src/e.d.ts', 'f.ts'])
      write(path, '\nrun()')
    expect(read()).toEqual([['src/a.ts:2', 'src/b/c.jsx:2'], []])
  })

  it.each([
    ['no TypeScript', undefined],
    ['a TypeScript without a parser', `exports.version = '7.0.2'`],
  ])('says that a project has %s, if it has source', (_, text) => {
    if (text !== undefined) write('node_modules/typescript/index.js', text)
    expect(read()).toEqual([[], []])
    write('src/a.ts', 'run()')
    expect(read()).toEqual([[], ['source.typescript']])
  })
})
