import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Answered, Call, Ready, Reply, Settled, Storm } from './protocol.ts'

/** A case in a process of its own, seen from this one. */
export interface ServingProcess {
  readonly livenessUrl: string
  storm(storm: Storm): Promise<Answered>
  settle(): Promise<Settled>
  clean(): Promise<void>
  forget(): Promise<void>
  heapMb(): Promise<number>
  stop(): Promise<void>
}

/**
 * @param nodeOptions for the process, beside its own
 * @throws when the process ends, or what it was told to do fails
 */
export async function startServing(
  name: string,
  url: string,
  nodeOptions: readonly string[] = [],
): Promise<ServingProcess> {
  const child = fork(join(import.meta.dirname, 'serve.ts'), [name], {
    execArgv: ['--expose-gc', ...nodeOptions],
    // Not as an argument, which everybody on the machine can read: it may hold a password.
    env: { ...process.env, VALKEY_URL: url },
  })
  const exited = once(child, 'exit')
  const ended = exited.then(([code, signal]) => {
    throw new Error(`The process that serves ${name} has ended with ${signal ?? code}.`)
  })
  ended.catch(() => {})
  const next = async (): Promise<unknown> =>
    ((await Promise.race([once(child, 'message'), ended])) as unknown[])[0]
  const call = async (method: Call['method'], argument?: Storm): Promise<never> => {
    child.send({ method, ...(argument && { argument }) } satisfies Call)
    const reply = (await next()) as Reply
    if ('error' in reply) throw new Error(reply.error)
    return reply.value as never
  }
  const { livenessUrl } = (await next()) as Ready
  return {
    livenessUrl,
    storm: (storm) => call('storm', storm),
    settle: () => call('settle'),
    clean: () => call('clean'),
    forget: () => call('forget'),
    heapMb: () => call('heapMb'),
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
