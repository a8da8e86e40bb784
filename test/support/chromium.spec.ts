import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from './chromium.js'
import { sparticuzChromium } from './sparticuz-chromium.js'

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

  const downloaded = { path: '/downloaded/chromium', env: { LD_LIBRARY_PATH: '/downloaded/lib' } }
  const download = () => Promise.resolve(downloaded)
  const offline = () => Promise.reject(new Error('npm is offline'))
  const pathOf = async (env: NodeJS.ProcessEnv): Promise<string> => (await findChromium(env, download)).path

  it('takes CHROMIUM_PATH before all others', async () => {
    await program('chromium')
    const chosen = await program('my-chromium')
    expect(await pathOf({ CHROMIUM_PATH: chosen, PATH: folder })).toBe(chosen)
  })

  it('refuses a CHROMIUM_PATH that names no program', async () => {
    await program('chromium')
    await expect(pathOf({ CHROMIUM_PATH: join(folder, 'none'), PATH: folder })).rejects.toThrow(
      'CHROMIUM_PATH does not name a program',
    )
  })

  it('prefers the one that is downloaded, with what it needs beside it, to those on PATH', async () => {
    await program('chromium')
    expect(await findChromium({ PATH: folder }, download)).toEqual(downloaded)
  })

  it('says how to get one when there is none and none can be downloaded', async () => {
    const finding = findChromium({}, offline)
    await expect(finding).rejects.toThrow('apt-get install chromium')
    await expect(finding).rejects.toThrow('set CHROMIUM_PATH')
    await expect(finding).rejects.toThrow(
      "npm's @sparticuz/chromium:\n    npm is offline\nPATH:\n    PATH has no chromium",
    )
  })

  it('downloads none that this machine cannot run', async () => {
    await expect(sparticuzChromium({ platform: 'darwin', arch: 'arm64' })).rejects.toThrow(
      'runs on linux-x64 only, and this is darwin-arm64',
    )
  })
})
