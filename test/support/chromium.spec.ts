import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from './chromium.js'

describe('finding a Chromium', () => {
  let folder: string
  const program = async (name: string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, '')
    await chmod(path, 0o755)
    return path
  }
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'chromium-'))))
  afterEach(() => rm(folder, { recursive: true }))

  it('takes CHROMIUM_PATH before all others', async () => {
    await program('chromium')
    const chosen = await program('my-chromium')
    expect(findChromium({ CHROMIUM_PATH: chosen, PATH: folder })).toBe(chosen)
  })

  it('refuses a CHROMIUM_PATH that names no program', async () => {
    await program('chromium')
    expect(() => findChromium({ CHROMIUM_PATH: join(folder, 'none'), PATH: folder })).toThrow(
      'CHROMIUM_PATH does not name a program',
    )
  })

  it('looks on PATH for the usual names, Chromium first', async () => {
    const chrome = await program('google-chrome')
    expect(findChromium({ PATH: `/nowhere:${folder}` })).toBe(chrome)
    const chromium = await program('chromium')
    expect(findChromium({ PATH: `/nowhere:${folder}` })).toBe(chromium)
  })

  it('says how to get one when there is none', () => {
    expect(() => findChromium({ PATH: folder })).toThrow('apt-get install chromium')
    expect(() => findChromium({})).toThrow('set CHROMIUM_PATH')
  })
})
