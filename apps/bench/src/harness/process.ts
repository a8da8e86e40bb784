import { fork } from 'node:child_process'
import { once } from 'node:events'

/** Methods of a process, by name: each takes one argument and returns plain JSON, or a promise of it. */
export type Methods = { readonly [name: string]: (argument: never) => unknown }

interface Call {
  readonly id: number
  readonly method: string
  readonly argument?: never
}
type Said =
  /** Answers a call; that of id 0 is the greeting. */
  { readonly id: number; readonly value?: unknown; readonly error?: string } | { readonly event: unknown }

/** A process that the bench has started. */
export interface Process<M extends Methods, Hello = unknown> {
  /** What the process passed to {@link serveParent}. */
  readonly hello: Hello
  /** Resolves when the process has ended. */
  readonly exited: Promise<unknown>
  /** @throws when the method throws, or the process ends */
  call<Name extends keyof M & string>(
    method: Name,
    ...argument: Parameters<M[Name]>
  ): Promise<Awaited<ReturnType<M[Name]>>>
  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void
  stop(): Promise<void>
}

export interface ProcessOptions {
  readonly args?: readonly string[]
  /** Added to the environment; here and not in `args` go URLs, which may hold a password. */
  readonly env?: Readonly<Record<string, string>>
  /** @default ['--expose-gc'] */
  readonly flags?: readonly string[]
  /** The executable of Node. @default that of this process */
  readonly node?: string
  /** Linux gives each session its share of the processors, as if the process had some of its own. */
  readonly detached?: boolean
  /** Receives what the process says by {@link tellParent}. */
  readonly onEvent?: (event: never) => void
}

/** Starts a module that calls {@link serveParent}, in a process of its own. */
export async function startProcess<M extends Methods, Hello = unknown>(
  file: string,
  { args = [], env = {}, flags = ['--expose-gc'], node, detached = false, onEvent }: ProcessOptions = {},
): Promise<Process<M, Hello>> {
  const name = [file, ...args].join(' ')
  const child = fork(file, args, {
    execArgv: [...flags],
    execPath: node ?? process.execPath,
    env: { ...process.env, ...env },
    detached,
  })
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  const answerTo = (id: number): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>()
    waiting.set(id, answer)
    return answer.promise
  }
  const greeting = answerTo(0)
  child.on('message', (said: Said) => {
    if ('event' in said) return onEvent?.(said.event as never)
    const { id, value, error } = said
    if (error === undefined) waiting.get(id)!.resolve(value)
    else waiting.get(id)!.reject(new Error(error))
    waiting.delete(id)
  })
  let isGone = false
  const exited = once(child, 'exit').then(([code, signal]) => {
    isGone = true
    const reason = new Error(`The process of ${name} has ended with ${signal ?? code}.`)
    for (const answer of waiting.values()) answer.reject(reason)
  })
  let calls = 0
  return {
    hello: (await greeting) as Hello,
    exited,
    async call(method, ...[argument]) {
      if (isGone) throw new Error(`The process of ${name} has ended.`)
      const answer = answerTo(++calls)
      child.send({ id: calls, method, ...(argument !== undefined && { argument }) }, () => {})
      return answer as never
    },
    signal: (signal) => void child.kill(signal),
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
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
  // Connections stay open until the process ends. The parent may be gone already.
  if (!process.connected) process.exit()
  process.on('disconnect', () => process.exit())
  process.on('message', async ({ id, method, argument }: Call) => {
    try {
      void say({ id, value: await methods[method]!(argument!) })
    } catch (error) {
      void say({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  void say({ id: 0, value: hello })
  return methods
}

/** In a started process: says something beside its answers. Resolves when it has been sent, even if the process ends then. */
export const tellParent = (event: unknown): Promise<void> => say({ event })

/** Errors do not matter: then the parent is gone. */
const say = (said: Said): Promise<void> =>
  new Promise((resolve) => {
    process.send!(said, undefined, undefined, () => resolve())
  })
