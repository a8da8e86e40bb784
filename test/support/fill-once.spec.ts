import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fillOnce } from './fill-once.js'

describe('a folder that is filled once', () => {
  let parent: string
  let folder: string
  const content = () => readFile(join(folder, 'file'), 'utf8')
  const writing = (text: string) => (empty: string) => writeFile(join(empty, 'file'), text)
  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'fill-once-'))
    folder = join(parent, 'cache/folder')
  })
  afterEach(() => rm(parent, { recursive: true }))

  it('is filled by the first caller, and reused by the next', async () => {
    await fillOnce(folder, writing('first'))
    await fillOnce(folder, writing('second'))
    expect(await content()).toBe('first')
  })

  it('does not exist before it is complete', async () => {
    await fillOnce(folder, async (empty) => {
      await writing('whole')(empty)
      await expect(readdir(folder)).rejects.toThrow('ENOENT')
    })
    expect(await content()).toBe('whole')
  })

  it('is complete for all concurrent callers, and the only one that remains', async () => {
    const both = Promise.withResolvers<void>()
    let filling = 0
    const fill = async (empty: string): Promise<void> => {
      await writing('whole')(empty)
      if (++filling === 2) both.resolve()
      await both.promise
    }
    await Promise.all([fillOnce(folder, fill), fillOnce(folder, fill)])
    expect(await content()).toBe('whole')
    expect(await readdir(join(parent, 'cache'))).toEqual(['folder'])
  })

  it('leaves nothing behind when it cannot be filled, so that the next attempt starts again', async () => {
    const failing = async (empty: string): Promise<void> => {
      await writing('half')(empty)
      throw new Error('no network')
    }
    await expect(fillOnce(folder, failing)).rejects.toThrow('no network')
    expect(await readdir(join(parent, 'cache'))).toEqual([])
    await fillOnce(folder, writing('whole'))
    expect(await content()).toBe('whole')
  })
})
