import type { CatalogueAnswer, CatalogueEntry, CatalogueRequest } from '../store.js'
import { epochSeed } from '../../format/token.js'
import { run, type ScriptRunner } from './valkey-guards.js'
import type { ValkeyNode } from './valkey-nodes.js'

/** The keys of a catalogue: its entries, its epoch and its server check. */
export function catalogueKeysOf(catalogue: string): readonly [string, string, string] {
  return [catalogue, `${catalogue}:epoch`, `${catalogue}:servers`]
}

export function askCatalogue(
  runner: ScriptRunner,
  key: string,
  { known, isWriter, put = new Map(), remove = [], replicas = 0 }: CatalogueRequest,
): Promise<CatalogueAnswer> {
  const keys = catalogueKeysOf(key)
  const askAlone = async (): Promise<CatalogueAnswer> => {
    const removed = remove.flatMap(({ field, putMs }) => [field, String(putMs)])
    const flags = [isWriter, replicas > 0].map((flag) => (flag ? '1' : '0'))
    const args = [known, epochSeed(), ...flags, String(remove.length), ...removed, ...[...put].flat()]
    const reply = await run(runner, 'catalogue', keys, args)
    const [epoch, version, nowMs, fields] = reply as [string, string, string, string[]?]
    return { epoch, version, nowMs: Number(nowMs), entries: fields && entriesIn(fields) }
  }
  const isQuestion = isWriter && known !== '' && put.size + remove.length === 0 && replicas === 0
  // A cluster may have the catalogue on another node than the rows.
  return isQuestion && !runner.client.isCluster
    ? runner.questions.ask({ keys: [keys[0], keys[1]], known }, askAlone)
    : askAlone()
}

/** The fields and values of a hash, in turn. @throws StoreError */
export async function hashAt(node: ValkeyNode, key: string): Promise<readonly string[]> {
  const fields = await node.call('HGETALL', key)
  // RESP3 has maps, which ioredis gives as objects.
  return (Array.isArray(fields) ? fields : Object.entries(Object(fields) as object).flat()) as string[]
}

/** The entries among the fields and values of a hash. Fields that begin with `=` are the catalogue's own. */
export function entriesIn(fields: readonly string[]): CatalogueEntry[] {
  const entries: CatalogueEntry[] = []
  for (let i = 0; i < fields.length; i += 2) {
    const [, addedMs, putMs, text] = /^(\d+);(\d+);(.*)$/s.exec(fields[i + 1]!) ?? []
    if (fields[i]!.startsWith('=') || text === undefined) continue
    entries.push({ field: fields[i]!, text, addedMs: Number(addedMs), putMs: Number(putMs) })
  }
  return entries
}
