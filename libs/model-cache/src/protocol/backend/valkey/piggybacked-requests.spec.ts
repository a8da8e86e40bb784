import { type CatalogueCheckRequest, PiggybackedRequests } from './piggybacked-requests.js'
import type { CatalogueAnswer } from '../store.js'

const alone: CatalogueAnswer = { epoch: 'e', version: 'e.2', nowMs: 9, entries: [] }
const question = (known: string): CatalogueCheckRequest => ({ keys: ['catalogue', 'catalogue:epoch'], known })

function join() {
  const waiting: (() => void)[] = []
  const questions = new PiggybackedRequests((callback) => waiting.push(callback))
  /** What each command carries, in the order of the commands. */
  const carried: (string | undefined)[] = []
  return {
    carried,
    /** How many callbacks wait for the end of the turn. */
    waits: () => waiting.length,
    endTurn: () => waiting.splice(0).forEach((callback) => callback()),
    ask: (known: string) => questions.ask(question(known), async () => alone),
    /** Has a command carry a question, and answer it later with a time. */
    carry: (nowMs: string | null = '7') =>
      new Promise((resolve) => {
        questions.carry((each) => {
          carried.push(each?.known)
          queueMicrotask(() => {
            each?.answer(nowMs)
            resolve(each?.keys)
          })
        })
      }),
  }
}

describe('the questions of one turn', () => {
  it('wait once for its end, and are not carried again in the next turn', async () => {
    const { carried, waits, ask, carry, endTurn } = join()
    const first = [ask('e.1'), carry(), carry(), ask('e.0')]
    expect(waits()).toBe(1)
    endTurn()
    await Promise.all(first)
    const next = carry()
    expect(waits()).toBe(1)
    endTurn()
    expect(await next).toBeUndefined()
    expect(carried).toEqual(['e.1', 'e.0', undefined])
  })
})
