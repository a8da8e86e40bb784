import { startProcess, type Process, type ProcessOptions } from '../process.ts'
import { processorTimes } from '../processor.ts'
import type { WatchMethods } from './serve-http.ts'

/** Starts an HTTP server in a process of its own. @param file a module that calls `serveHttp`, or serves {@link WatchMethods} and greets with its URL */
export async function startServed<Methods extends WatchMethods = WatchMethods>(
  file: string,
  options: ProcessOptions,
) {
  const env = { ...options.env, NODE_ENV: 'production' }
  const { hello: url, call, stop } = await startProcess<Methods, string>(file, { ...options, env })
  const watching: Process<WatchMethods>['call'] = call
  return {
    url,
    /** Calls a method of its process. */
    call,
    stop,
    /** @throws when the status is not 200 */
    async get(path: string): Promise<string> {
      const response = await fetch(url + path)
      const body = await response.text()
      if (response.status === 200) return body
      throw new Error(`GET ${path} of ${options.args?.join(' ')} returns ${response.status}: ${body}`)
    },
    /** Watches its process, and the machine, during the work. */
    async watch<T>(work: () => Promise<T>) {
      const before = processorTimes()
      await watching('watch')
      const result = await work()
      const watched = await watching('stopWatching')
      const after = processorTimes()
      const cpuIdle = (after.idle - before.idle) / Math.max(1, after.all - before.all)
      return { result, watched, cpuIdle }
    },
  }
}

export type Served<Methods extends WatchMethods = WatchMethods> = Awaited<
  ReturnType<typeof startServed<Methods>>
>

/** Stops a server when the work with it is done. */
export async function during<Server extends Pick<Served, 'stop'>, T>(
  starting: Promise<Server>,
  work: (served: Server) => Promise<T>,
): Promise<T> {
  const served = await starting
  return work(served).finally(() => served.stop())
}

/** @throws with the first difference when a server does not respond as it should */
export function requireSame(name: string, answer: string, expected: string): void {
  if (answer === expected) return
  let at = 0
  while (answer[at] === expected[at]) at++
  const around = (text: string): string => text.slice(Math.max(0, at - 60), at + 60)
  throw new Error(
    `${name} does not return what the first one does:\n  … ${around(answer)} …\nand not\n  … ${around(expected)} …`,
  )
}
