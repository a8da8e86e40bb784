/** Has each read of a client run three times more: cold, warm, and by a plain client. */
import { differenceOf } from '../integration/differential/reads/difference.ts'
import { copyOf, show } from '../integration/differential/show.ts'

type Outcome = { readonly value: unknown } | { readonly error: unknown }
type Query = PromiseLike<unknown> & Readonly<Record<string, unknown>>
type Delegates = Readonly<Record<string, Record<string, (args: unknown) => Query> | undefined>>
/** Sends the read again, through a client of choice. */
type Send = (client: object) => PromiseLike<unknown>

const reads = [
  'aggregate',
  'count',
  'findFirst',
  'findFirstOrThrow',
  'findMany',
  'findUnique',
  'findUniqueOrThrow',
  'groupBy',
]
/** Writes of a test that run at the same time as its reads may come between two of these. */
const ATTEMPTS = 3

export class ComparedReads {
  readonly counted = { compared: 0, reordered: 0 }
  differences: string[] = []
  readonly #clear: () => Promise<void>

  /** @param clear empties the caches */
  constructor(clear: () => Promise<void>) {
    this.#clear = clear
  }

  begin(): void {
    this.differences = []
  }

  /** The read itself goes first, with what the test has left in the caches, and its result is the caller's. */
  compare(client: object, plain: object): void {
    const { _runtimeDataModel: described } = client as { _runtimeDataModel: { models: object } }
    for (const model of Object.keys(described.models)) {
      const name = `${model[0]!.toLowerCase()}${model.slice(1)}`
      const delegate = (client as Delegates)[name]
      for (const operation of reads) {
        const find = delegate?.[operation]
        if (!find) continue
        const value = (args: unknown): Query => {
          const send: Send = (of) => (of as Delegates)[name]![operation]!(copyOf(args))
          const sendCached: Send = () => find(copyOf(args))
          return this.#comparing(find(args), `${name}.${operation}(${show(args)})`, plain, sendCached, send)
        }
        Object.defineProperty(delegate, operation, { configurable: true, writable: true, value })
      }
    }
  }

  #comparing(query: Query, text: string, plain: object, cached: Send, uncached: Send): Query {
    let result: Promise<unknown> | undefined
    const run = (): Promise<unknown> => (result ??= this.#compareAfter(query, text, plain, cached, uncached))
    return new Proxy(query, {
      get: (of, name): unknown => {
        const value: unknown = Reflect.get(of, name, of)
        if (typeof value !== 'function') return value
        if (name !== 'then' && name !== 'catch' && name !== 'finally') return value.bind(of)
        return (...handlers: never[]) => (run()[name] as (...given: never[]) => unknown)(...handlers)
      },
    })
  }

  async #compareAfter(
    query: Query,
    text: string,
    plain: object,
    cached: Send,
    uncached: Send,
  ): Promise<unknown> {
    const first = await outcomeOf(query)
    const isOrdered = text.includes('orderBy')
    let difference: string | undefined
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const left = attempt === 0 ? first : await outcomeOf(cached({}))
      const expected = await outcomeOf(uncached(plain))
      await this.#clear()
      const cold = await outcomeOf(cached({}))
      const warm = await outcomeOf(cached({}))
      difference = undefined
      for (const [kind, actual] of Object.entries({ 'as the test left it': left, cold, warm })) {
        const found = this.#difference(expected, actual, isOrdered)
        if (found) difference ??= `${text}, ${kind}: ${found}`
      }
      if (difference === undefined) break
    }
    this.counted.compared++
    if (difference !== undefined) this.differences.push(difference)
    if ('error' in first) throw first.error
    return first.value
  }

  /** Without an order in the query, the database may return rows in any. */
  #difference(expected: Outcome, actual: Outcome, isOrdered: boolean): string | undefined {
    if ('error' in expected || 'error' in actual) {
      const [one, other] = [expected, actual].map((outcome) =>
        'error' in outcome ? kindOf(outcome.error) : 'no error',
      )
      return one === other ? undefined : `${other} instead of ${one}`
    }
    const found = differenceOf(expected.value, actual.value)
    if (found === undefined || isOrdered) return found
    const [one, other] = [expected, actual].map(({ value }) => show(value, { sorts: true }))
    if (one !== other) return found
    this.counted.reordered++
    return undefined
  }
}

async function outcomeOf(query: PromiseLike<unknown>): Promise<Outcome> {
  try {
    return { value: await query }
  } catch (error) {
    return { error }
  }
}

/** Without the place of the call. */
function kindOf(error: unknown): string {
  const { code, message, name } = error as Error & { code?: string }
  return [name, code, message.trim().split('\n').at(-1)].join(' ')
}
