import type { ChildReply } from './run-in-child.ts'

/** In a process that `runInChild` has started: answers the one argument, and ends. */
export function answerParent<Argument>(answer: (argument: Argument) => unknown): void {
  // A parent that is gone takes no answer.
  process.once('disconnect', () => process.exit())
  process.once('message', async (argument: Argument) => {
    let reply: ChildReply
    try {
      reply = { value: await answer(argument) }
    } catch (error) {
      reply = { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    }
    process.send!(reply, () => process.exit())
  })
}
