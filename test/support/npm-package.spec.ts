import { createHash } from 'node:crypto'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { downloadPackage } from './npm-package.js'

describe('a package of npm', () => {
  let folder: string
  let source: string
  let target: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'npm-package-'))
    source = join(folder, 'source')
    target = join(folder, 'target')
    await Promise.all([mkdir(source), mkdir(target)])
    await writeFile(join(source, 'package.json'), '{ "name": "parcel", "version": "1.2.3" }')
    await writeFile(join(source, 'content.txt'), 'content')
  })
  afterEach(() => rm(folder, { recursive: true }))

  it('is unpacked when it has the integrity that was stated', async () => {
    await promisify(execFile)('npm', ['pack', source, '--pack-destination', folder])
    const archive = await readFile(join(folder, 'parcel-1.2.3.tgz'))
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
    const unpacked = await downloadPackage({ spec: source, integrity }, target)
    expect(await readFile(join(unpacked, 'content.txt'), 'utf8')).toBe('content')
    expect(await readdir(target)).toEqual(['package'])
  })

  it('is refused, and not unpacked, when it is another than was meant', async () => {
    await expect(downloadPackage({ spec: source, integrity: 'sha512-other' }, target)).rejects.toThrow(
      /should have the integrity sha512-other, not sha512-/,
    )
    expect(await readdir(target)).toEqual(['parcel-1.2.3.tgz'])
  })
})
