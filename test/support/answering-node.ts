/** What a server answers to commands that begin with these words. It rejects with an error, and calls a function with all words. */
export type Answers = Readonly<Record<string, unknown>>

/** A `ValkeyNode` that says what it was sent. */
export interface AnsweringNode {
  readonly name: string
  readonly sent: readonly string[]
  call(...words: readonly string[]): Promise<unknown>
  get(key: string): Promise<Buffer | null>
  listen(channel: string, isSharded: boolean): Promise<void>
}

/** A server of Valkey that answers by a table, where the most words count; what the table lacks it answers with OK. */
export function answeringNode(answers: Answers, name: string = 'cache:6379'): AnsweringNode {
  const sent: string[] = []
  const call = async (...words: readonly string[]): Promise<unknown> => {
    const line = words.join(' ')
    sent.push(line)
    const [, answer] = Object.entries(answers)
      .filter(([start]) => line === start || line.startsWith(`${start} `) || start === '')
      .toSorted(([a], [b]) => b.length - a.length)[0] ?? ['', 'OK']
    const reply: unknown = typeof answer === 'function' ? answer(...words) : answer
    if (reply instanceof Error) throw reply
    return reply
  }
  return {
    name,
    sent,
    call,
    async get(key) {
      const reply = (await call('GET', key)) as string | null
      return reply === null ? null : Buffer.from(reply)
    },
    async listen(channel, isSharded) {
      await call(isSharded ? 'SSUBSCRIBE' : 'SUBSCRIBE', channel)
    },
  }
}

/** The `ValkeyNodes` of a server without a cluster. A store cannot connect to them. */
export const answeringNodes = (primaries: readonly AnsweringNode[]) => ({
  isCluster: false,
  slots: [],
  primaries,
  replicas: [],
  user: 'app',
  needsNoPassword: false,
  connection: undefined as never,
  nodeOf: () => primaries[0]!,
  close: () => {},
})

/** An ACL's refusal, as the store reports it. */
export const forbidden = (problem: string): Error =>
  Object.assign(new Error(`model-cache: valkey: ${problem}`), { code: 'E_STORE_FORBIDDEN' })

interface Found {
  readonly id: string
  readonly severity: string
  readonly found: string
  readonly remedy?: string
}

/** Each finding of the doctor as a line: severity, id, what was found, and the remedy. */
export const findingLines = (findings: readonly Found[]): string[] =>
  findings.map(
    ({ found, id, remedy, severity }) =>
      `${severity} ${id}: ${found}${remedy === undefined ? '' : ` → ${remedy}`}`,
  )
