import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Methods of a process, by name: each takes one argument and returns plain JSON, or a promise of it. */
export type Methods = { readonly [name: string]: (argument: never) => unknown }

type Reply = { readonly value?: unknown } | { readonly error: string }

/** A process that the bench has started. Calls are answered in their order. */
export interface Process<M extends Methods, Hello = unknown> {
  readonly pid: number
  /** What the process passed to {@link serveParent}. */
  readonly hello: Hello
  /** @throws when the method throws, or the process ends */
  call<Name extends keyof M & string>(
    method: Name,
    ...argument: Parameters<M[Name]>
  ): Promise<Awaited<ReturnType<M[Name]>>>
  stop(): Promise<void>
}

export interface ProcessOptions {
  readonly args?: readonly string[]
  /** Added to the environment; here and not in `args` go URLs, which may hold a password. */
  readonly env?: Readonly<Record<string, string>>
  /** @default ['--expose-gc'] */
  readonly flags?: readonly string[]
}

/** Starts a module that calls {@link serveParent}, in a process of its own. */
export async function startProcess<M extends Methods, Hello = unknown>(
  file: string,
  { args = [], env = {}, flags = ['--expose-gc'] }: ProcessOptions = {},
): Promise<Process<M, Hello>> {
  const child = fork(file, args, {
    execArgv: [...flags],
    env: { ...process.env, ...env },
  })
  const exited = once(child, 'exit')
  const ended = exited.then(([code, signal]) => {
    throw new Error(`The process of ${[file, ...args].join(' ')} has ended with ${signal ?? code}.`)
  })
  ended.catch(() => {})
  const next = async (): Promise<unknown> => {
    const [reply] = (await Promise.race([once(child, 'message'), ended])) as [Reply]
    if ('error' in reply) throw new Error(reply.error)
    return reply.value
  }
  const stop = async (): Promise<void> => {
    if (child.connected) child.disconnect()
    await exited
  }
  return {
    pid: child.pid!,
    hello: (await next()) as Hello,
    call(method, ...[argument]) {
      const reply = next()
      child.send({ method, ...(argument !== undefined && { argument }) })
      return reply as never
    },
    stop,
  }
}

/** Calls one method of a new process, which ends with the answer. */
export async function callProcess<M extends Methods, Name extends keyof M & string>(
  file: string,
  method: Name,
  argument: Parameters<M[Name]>[0],
  options?: ProcessOptions,
): Promise<Awaited<ReturnType<M[Name]>>> {
  const started = await startProcess<M>(file, options)
  try {
    return await started.call(method, ...([argument] as unknown as Parameters<M[Name]>))
  } finally {
    await started.stop()
  }
}

/** In a started process: answers calls until the parent disconnects. */
export function serveParent<M extends Methods>(methods: M, hello?: unknown): M {
  // Connections stay open until the process ends.
  process.on('disconnect', () => process.exit())
  process.on('message', async ({ method, argument }: { method: string; argument?: never }) => {
    let reply: Reply
    try {
      reply = { value: await methods[method]!(argument!) }
    } catch (error) {
      reply = { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
    process.send!(reply)
  })
  process.send!({ value: hello })
  return methods
}
