import { cpus } from 'node:os'
import { startProcess, type ProcessOptions } from '../process.ts'
import { sum } from '../statistics.ts'
import type { serveHttp, Watched } from './serve-http.ts'

/** An HTTP server in a process of its own, seen from this one. */
export interface Served {
  readonly url: string
  /** @throws when the status is not 200 */
  get(path: string): Promise<string>
  /** Watches its process, and the machine, during the work. */
  watch<T>(work: () => Promise<T>): Promise<{ result: T; watched: Watched; cpuIdle: number }>
  stop(): Promise<void>
}

/** @param file a module that calls `serveHttp` */
export async function startServed(file: string, options: ProcessOptions): Promise<Served> {
  const env = { ...options.env, NODE_ENV: 'production' }
  const served = await startProcess<Awaited<ReturnType<typeof serveHttp>>, string>(file, { ...options, env })
  const url = served.hello
  return {
    url,
    async get(path) {
      const response = await fetch(url + path)
      const body = await response.text()
      if (response.status === 200) return body
      throw new Error(`GET ${path} of ${options.args?.join(' ')} returns ${response.status}: ${body}`)
    },
    async watch(work) {
      const before = processorTimes()
      await served.call('watch')
      const result = await work()
      const watched = await served.call('stopWatching')
      const after = processorTimes()
      const cpuIdle = (after.idle - before.idle) / Math.max(1, after.all - before.all)
      return { result, watched, cpuIdle }
    },
    stop: () => served.stop(),
  }
}

/** Of all processors of the machine, whatever program runs on them. */
function processorTimes(): { idle: number; all: number } {
  const times = cpus().map((cpu) => cpu.times)
  return {
    idle: sum(times.map(({ idle }) => idle)),
    all: sum(times.map((time) => sum(Object.values(time)))),
  }
}
