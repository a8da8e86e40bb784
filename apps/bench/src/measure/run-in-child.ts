import { fork } from 'node:child_process'
import { once } from 'node:events'

export type ChildReply = { readonly value: unknown } | { readonly error: string }

/**
 * Runs a module in a new process, gives it one argument, and returns its answer; the module calls `answerParent`. State that
 * code leaves behind (optimised functions, hidden classes, heap sizes) then ends with the process.
 *
 * @param env added to this process's own: for what an argument of the command line would show to everybody
 * @throws when the process ends without an answer, or with an error
 */
export async function runInChild<Result>(
  file: string,
  argument: object,
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const child = fork(file, { execArgv: ['--expose-gc'], env: { ...process.env, ...env } })
  const exited = once(child, 'exit')
  const reply = new Promise<ChildReply>((resolve, reject) => {
    child.once('message', (message) => resolve(message as ChildReply))
    void exited.then(([code, signal]) => reject(new Error(`${file} has ended with ${signal ?? code}.`)))
  })
  child.send(argument)
  const answer = await reply
  await exited
  if ('error' in answer) throw new Error(answer.error)
  return answer.value as Result
}
