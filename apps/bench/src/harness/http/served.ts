import { startProcess, type Process, type ProcessOptions } from '../process.ts'
import { processorTimes } from '../processor.ts'
import type { Watched, WatchMethods } from './serve-http.ts'

/** An HTTP server in a process of its own, seen from this one. */
export interface Served<Methods extends WatchMethods = WatchMethods> {
  readonly url: string
  /** Calls a method of its process. */
  readonly call: Process<Methods>['call']
  /** @throws when the status is not 200 */
  get(path: string): Promise<string>
  /** Watches its process, and the machine, during the work. */
  watch<T>(work: () => Promise<T>): Promise<{ result: T; watched: Watched; cpuIdle: number }>
  stop(): Promise<void>
}

/** @param file a module that calls `serveHttp`, or serves {@link WatchMethods} and greets with its URL */
export async function startServed<Methods extends WatchMethods = WatchMethods>(
  file: string,
  options: ProcessOptions,
): Promise<Served<Methods>> {
  const env = { ...options.env, NODE_ENV: 'production' }
  const served = await startProcess<Methods, string>(file, { ...options, env })
  const watched: Pick<Process<WatchMethods>, 'call'> = served
  const url = served.hello
  return {
    url,
    call: served.call,
    async get(path) {
      const response = await fetch(url + path)
      const body = await response.text()
      if (response.status === 200) return body
      throw new Error(`GET ${path} of ${options.args?.join(' ')} returns ${response.status}: ${body}`)
    },
    async watch(work) {
      const before = processorTimes()
      await watched.call('watch')
      const result = await work()
      const during = await watched.call('stopWatching')
      const after = processorTimes()
      const cpuIdle = (after.idle - before.idle) / Math.max(1, after.all - before.all)
      return { result, watched: during, cpuIdle }
    },
    stop: () => served.stop(),
  }
}
