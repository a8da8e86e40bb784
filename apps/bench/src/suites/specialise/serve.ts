/** The process that answers requests of one variant: `serve.ts DECISION VARIANT`. */
import { serveParent } from '../../harness/process.ts'
import { collectGarbage, cpuTime } from '../../harness/processor.ts'
import { allDecisions, control } from './decisions.ts'
import { answerOf, bids } from './reads.ts'

const [decision, variant] = process.argv.slice(2)
const { variants } = [control, ...allDecisions].find(({ name }) => name === decision)!
const answer = variants.find(({ name }) => name === variant)!.open()

const methods = serveParent({
  /** @returns microseconds of processor time per request @throws when a request gets something else than the rows */
  async run({ warmUpRequests, requests }: Record<'warmUpRequests' | 'requests', number>): Promise<number> {
    for (let i = 0; i < warmUpRequests; i++)
      if ((await answer()) !== answerOf(bids)) throw new Error(`${decision}, ${variant} returns other rows.`)
    collectGarbage()
    const before = cpuTime()
    for (let i = 0; i < requests; i++) await answer()
    return (1_000 * (cpuTime() - before)) / requests
  },
})
export type Serving = typeof methods
