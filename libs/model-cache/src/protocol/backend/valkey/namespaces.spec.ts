import type { ValkeyClient } from './valkey-client.js'
import { namespacesIn } from './namespaces.js'

/** A server that answers each scan with the next keys. After the last it begins again, or goes on for ever. */
class FakeNode {
  readonly isCluster = false
  readonly options: { readonly keyPrefix?: string }
  readonly scans: unknown[][] = []
  readonly #answers: (readonly string[])[]
  readonly #isEndless: boolean

  constructor(
    answers: (readonly string[])[],
    { keyPrefix = undefined as string | undefined, isEndless = false } = {},
  ) {
    this.options = keyPrefix === undefined ? {} : { keyPrefix }
    this.#answers = answers
    this.#isEndless = isEndless
  }

  async scan(...args: unknown[]): Promise<[string, readonly string[]]> {
    const place = this.scans.push(args)
    if (place > 200) throw new Error('was scanned for ever')
    const isLast = !this.#isEndless && place === this.#answers.length
    return [isLast ? '0' : String(place), this.#answers[place - 1] ?? []]
  }
}

const found = (client: unknown) => namespacesIn(client as ValkeyClient)

describe('the namespaces of a server', () => {
  it('are those of its catalogues, each once', async () => {
    const node = new FakeNode([['mc:{catalogue}', 'app:a:{catalogue}'], [], ['mc:{catalogue}']])
    expect(await found(node)).toEqual(['mc', 'app:a'])
    expect(node.scans).toEqual(['0', '1', '2'].map((at) => [at, 'MATCH', '*:{catalogue}', 'COUNT', 1_000]))
  })

  it('are those behind the prefix of the connection, without it', async () => {
    const node = new FakeNode([['own:mc:{catalogue}']], { keyPrefix: 'own:' })
    expect(await found(node)).toEqual(['mc'])
    expect(node.scans).toEqual([['0', 'MATCH', 'own:*:{catalogue}', 'COUNT', 1_000]])
  })

  it('are looked for among its first hundred thousand keys', async () => {
    const node = new FakeNode([['mc:{catalogue}']], { isEndless: true })
    expect(await found(node)).toEqual(['mc'])
    expect(node.scans).toHaveLength(100)
  })
})
