import { forkModule } from './forked.ts'
import type { Answer, Told } from './serve-watched.ts'
import type { Watched } from './watch-process.ts'

/** An HTTP server in a process of its own, seen from this one. */
export interface Served {
  readonly url: string
  /** @throws when the answer is not 200 */
  get(path: string): Promise<string>
  /** Watches its process while work is done. */
  watch<T>(work: () => Promise<T>): Promise<{ result: T; watched: Watched }>
  stop(): Promise<void>
}

/** @param module the path of a module that calls `serveWatched` */
export async function startServed(
  module: string,
  options: { args?: readonly string[]; env?: NodeJS.ProcessEnv },
): Promise<Served> {
  const forked = forkModule(module, options)
  const tell = async (told: Told): Promise<Watched | undefined> =>
    ((await forked.ask(told)) as Answer & { watched?: Watched }).watched
  const { url } = (await forked.next()) as Answer & { url: string }
  return {
    url,
    async get(path) {
      const response = await fetch(url + path)
      const body = await response.text()
      if (response.status === 200) return body
      throw new Error(`GET ${path} of ${options.args?.join(' ')} answers ${response.status}: ${body}`)
    },
    async watch(work) {
      await tell('watch')
      const result = await work()
      return { result, watched: (await tell('stop watching'))! }
    },
    stop: () => forked.stop(),
  }
}
