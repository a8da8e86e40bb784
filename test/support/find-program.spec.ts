import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firstProgram, programOnPath } from './find-program.js'

describe('a program of several sources', () => {
  const found = (origin: string) => ({ origin, find: async () => ({ command: `/of/${origin}` }) })
  const failing = (origin: string, reason: string) => ({
    origin,
    find: () => Promise.reject(new Error(reason)),
  })

  it('is that of the first source that has it', async () => {
    const sources = [failing('wheel', 'no python3'), found('package'), found('PATH')]
    expect(await firstProgram(sources, [])).toEqual({ command: '/of/package', origin: 'package' })
  })

  it('is looked for no further than needed', async () => {
    const find = () => Promise.reject(new Error('asked'))
    await expect(firstProgram([found('wheel'), { origin: 'package', find }], [])).resolves.toBeDefined()
  })

  it('is missed with advice and the reason of each source', async () => {
    const sources = [failing('wheel', 'no python3\nand no pip\n'), failing('PATH', 'not there')]
    await expect(firstProgram(sources, ['Install it.'])).rejects.toThrow(
      'Install it.\nWhat was tried:\nwheel:\n    no python3\n    and no pip\nPATH:\n    not there',
    )
  })
})

describe('a program on PATH', () => {
  let folder: string
  const program = async (name: string, mode = 0o755): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, '')
    await chmod(path, mode)
    return path
  }
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'programs-'))))
  afterEach(() => rm(folder, { recursive: true }))

  it('is the first of its names that can be executed', async () => {
    const names = ['chromium', 'google-chrome']
    const chrome = await program('google-chrome')
    await program('chromium', 0o644)
    expect(programOnPath(names, `/nowhere:${folder}`)).toBe(chrome)
    const chromium = await program('chromium')
    expect(programOnPath(names, `/nowhere:${folder}`)).toBe(chromium)
  })

  it('is missed by its names', () => {
    expect(() => programOnPath(['chromium', 'google-chrome'], folder)).toThrow(
      'PATH has no chromium or google-chrome',
    )
  })
})
