import type { Finding } from '../../libs/model-cache/src/doctor/finding.js'
import { StoreError } from '../../libs/model-cache/src/errors.js'
import type { ValkeyNode, ValkeyNodes } from '../../libs/model-cache/src/protocol/index.js'

/** What a server answers to commands that begin with these words. It rejects with an error, and calls a function with all words. */
export type Answers = Readonly<Record<string, unknown>>

/** A server of Valkey that answers by a table, where the most words count; what the table lacks it answers with OK. */
export function answeringNode(
  answers: Answers,
  name: string = 'cache:6379',
): ValkeyNode & { readonly sent: readonly string[] } {
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
    async listen(channel, isSharded) {
      await call(isSharded ? 'SSUBSCRIBE' : 'SUBSCRIBE', channel)
    },
  }
}

/** A single server, or what `changed` makes of it. */
export function answeringNodes(
  primaries: readonly ValkeyNode[],
  changed: Partial<ValkeyNodes> = {},
): ValkeyNodes {
  return {
    isCluster: false,
    slots: [],
    primaries,
    replicas: [],
    user: 'app',
    needsNoPassword: false,
    get connection(): never {
      throw new StoreError('valkey', 'a store was asked for')
    },
    nodeOf: () => primaries[0]!,
    close: () => {},
    ...changed,
  }
}

/** An ACL's refusal, as the store reports it. */
export const forbidden = (problem: string): StoreError =>
  new StoreError('valkey', problem, 'E_STORE_FORBIDDEN')

/** Each finding as a line: severity, id, what was found, and the remedy. */
export const findingLines = (findings: readonly Finding[]): string[] =>
  findings.map(
    ({ found, id, remedy, severity }) =>
      `${severity} ${id}: ${found}${remedy === undefined ? '' : ` → ${remedy}`}`,
  )
