import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FormatCalls } from './formats-measurements.ts'
import type { Order } from './measure-format.ts'

/**
 * Measures in a process of its own, so that no format runs in code that was optimised for another one.
 *
 * @throws when the process ends without an answer; it has said on stderr why
 */
export async function measureInProcess(order: Order): Promise<FormatCalls> {
  const child = fork(join(import.meta.dirname, 'measure.ts'), { execArgv: ['--expose-gc'] })
  const exited = once(child, 'exit')
  const ended = exited.then(([code, signal]) => {
    throw new Error(
      `The process that measures ${order.format}, ${order.way}, has ended with ${signal ?? code}.`,
    )
  })
  ended.catch(() => {})
  child.send(order)
  const [calls] = (await Promise.race([once(child, 'message'), ended])) as [FormatCalls]
  await exited
  return calls
}
