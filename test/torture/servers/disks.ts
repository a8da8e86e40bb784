import { cp, mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { ask } from './ask.ts'

const LOG_FOLDER = 'appendonlydir'
const DEADLINE_MS = 30_000

/** What servers had on their disks at some moments, as folders from which they can start. */
export class Disks {
  readonly #folders = new Set<string>()

  /** What a server holds now, as `SAVE` writes it. @returns its folder */
  async snapshotOf(port: number): Promise<string> {
    const dir = await ask(port, async (client) => {
      await client.save()
      return dirOf(client)
    })
    return this.#copyDump(dir)
  }

  /** Ends a server, which saves what it holds. @returns the folder of that */
  async shutDown(port: number): Promise<string> {
    const end = async (client: Redis): Promise<string> => {
      const dir = await dirOf(client)
      // The server does not answer, it ends.
      await client.call('SHUTDOWN', 'SAVE').catch(() => {})
      return dir
    }
    return this.#copyDump(await ask(port, end, { retryStrategy: null }))
  }

  /** Has a server write an append-only file from now on. @returns the folder of the server */
  async startLog(port: number): Promise<string> {
    return ask(port, async (client) => {
      await client.config('SET', 'appendonly', 'yes')
      for (const deadline = Date.now() + DEADLINE_MS; ; await sleep(10)) {
        const info = await client.info('persistence')
        if (/aof_enabled:1[^]*aof_rewrite_in_progress:0[^]*aof_rewrite_scheduled:0/.test(info)) break
        if (Date.now() > deadline) throw new Error(`No append-only file is written:\n${info}`)
      }
      return dirOf(client)
    })
  }

  /** Copies the append-only files of a server, which may be writing them. @returns their folder */
  async copyLog(dir: string): Promise<string> {
    const folder = await this.#newFolder()
    await cp(join(dir, LOG_FOLDER), join(folder, LOG_FOLDER), { recursive: true })
    return folder
  }

  /** Cuts bytes off the end of the last append-only file in a folder. */
  async cutLog(folder: string, bytes: number): Promise<void> {
    const files = await readdir(join(folder, LOG_FOLDER))
    const last = join(
      folder,
      LOG_FOLDER,
      files
        .filter((file) => file.endsWith('.incr.aof'))
        .toSorted()
        .at(-1)!,
    )
    await truncate(last, Math.max(0, (await stat(last)).size - bytes))
  }

  /** So that a server can start from the same data again. */
  async copyOf(folder: string): Promise<string> {
    const copy = await this.#newFolder()
    await cp(folder, copy, { recursive: true })
    return copy
  }

  /** Once no server uses them any more. */
  async clear(): Promise<void> {
    await Promise.all(Array.from(this.#folders, (folder) => rm(folder, { recursive: true, force: true })))
  }

  async #copyDump(dir: string): Promise<string> {
    const folder = await this.#newFolder()
    await cp(join(dir, 'dump.rdb'), join(folder, 'dump.rdb'))
    return folder
  }

  async #newFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'torture-disk-'))
    this.#folders.add(folder)
    return folder
  }
}

const dirOf = async (client: Redis): Promise<string> => {
  const [, dir] = (await client.config('GET', 'dir')) as [name: string, dir: string]
  return dir
}
