import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A process that answers each message with one of its own. */
export interface Forked {
  /** The next message from it. */
  next(): Promise<unknown>
  ask(message: unknown): Promise<unknown>
  stop(): Promise<void>
}

/**
 * @param module the path of a module that is run, with these arguments and variables beside those of this process
 * @throws from `next` and `ask`, when the process has ended
 */
export function forkModule(
  module: string,
  { args = [], env = {} }: { args?: readonly string[]; env?: NodeJS.ProcessEnv } = {},
): Forked {
  const child = fork(module, args, {
    execArgv: ['--expose-gc'],
    // Not as arguments, which everybody on the machine can read: they may hold passwords.
    env: { ...process.env, ...env, NODE_ENV: 'production' },
  })
  const exited = once(child, 'exit')
  const ended = exited.then(([code, signal]) => {
    throw new Error(`The process of ${[module, ...args].join(' ')} has ended with ${signal ?? code}.`)
  })
  ended.catch(() => {})
  const next = async (): Promise<unknown> =>
    ((await Promise.race([once(child, 'message'), ended])) as unknown[])[0]
  return {
    next,
    ask(message) {
      const answer = next()
      child.send(message as never)
      return answer
    },
    async stop() {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}
