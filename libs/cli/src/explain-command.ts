import { parseArgs } from 'node:util'
import {
  type AtRest,
  type CacheDescription,
  type CatalogueListing,
  connectNodes,
  createKeySpace,
  entryIdOf,
  epochsOf,
  explainGuard,
  explainStored,
  type HashId,
  lookupKeyOf,
  type Opened,
  openStored,
  readCatalogue,
  registerIn,
  type RowId,
  type ValkeyNodes,
  valueFormOf,
} from 'model-cache/internal'
import { type Command, type Output, UsageError } from './command.js'
import { explainQuery, isQueryName, printQuery } from './explain-query.js'
import { cachesNamed, cachesWithLookup, hashIdOf, lookupNamed, typedFields } from './named-caches.js'
import {
  answerMs,
  atRestIn,
  keysOption,
  keysUsage,
  neededAddress,
  storeOptions,
  storeUsage,
} from './options.js'

/** What the store has of a row in one schema version, or of an entry of a lookup. */
interface ExplainedKey extends ReturnType<typeof explainGuard> {
  readonly key: string
  readonly fingerprint: string
  readonly stored: ReturnType<typeof explainStored> | { readonly isHit: false; readonly reason: Unseen }
}

/** Why a value cannot be opened: without a key, with another one, or because it was changed. */
type Unseen = 'encrypted' | Exclude<Opened, Buffer>

export const explainCommand: Command = {
  usage: `Usage: model-cache explain <cache> <id> [options]
       model-cache explain <cache> <lookup> <key> [options]
       model-cache explain <Model>.<operation> <arguments> [options]

Says what the store has of a row, or of an entry of a lookup: whether a read would use it, and what guards it.
An id of several fields is JSON, or orgId=7,slug=tea. Shows no row.
Of a query, with its arguments as JSON, it says which models it reads, whether processes keep its result, and what is
stored of it, as a client sends it that has no computed fields.

${storeUsage}
${keysUsage}
  --schema     of a query: the file or folder of the Prisma schema; by default the one of this project`,

  async run(args, output) {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: { ...storeOptions, ...keysOption, schema: { type: 'string' } },
      allowPositionals: true,
    })
    const [name, first, second, ...others] = positionals
    if (name === undefined || first === undefined || others.length > 0)
      throw new UsageError(explainCommand.usage)
    const { json, namespace, schema } = values
    const atRest = atRestIn(values, output)
    const isQuery = isQueryName(name)
    if (isQuery && second !== undefined) throw new UsageError(explainCommand.usage)
    const nodes = await connectNodes(neededAddress(values, output), answerMs)
    try {
      const listed = await readCatalogue(nodes, namespace)
      if (isQuery) {
        const query = await explainQuery({ nodes, namespace, listed }, { name, text: first, schema }, output)
        if (json) output.line(JSON.stringify({ version: 1, ...query }, null, 2))
        else printQuery(query, output)
        return 0
      }
      const keys: ExplainedKey[] = []
      const seen = new Set<string>()
      const named = cachesNamed(listed.caches, name, namespace)
      const caches = second === undefined ? named : cachesWithLookup(named, first)
      for (const { description, fingerprint } of caches) {
        if (!description)
          throw new UsageError(
            `Another version of model-cache has described the cache "${name}". Use that version: npx model-cache@<version> explain`,
          )
        const rowId = rowIdOf(description, namespace, [first, second])
        const place = { nodes, namespace, listed, atRest }
        const explained = await explainKey(place, description, rowId, fingerprint)
        if (!seen.has(explained.key)) keys.push(explained)
        seen.add(explained.key)
      }
      if (json) output.line(JSON.stringify({ version: 1, cache: name, keys }, null, 2))
      else for (const key of keys) printKey(key, output)
      return 0
    } finally {
      nodes.close()
    }
  },
}

/** @param asked an id, or a lookup and its key. @throws UsageError, InvalidIdError */
function rowIdOf(
  description: CacheDescription,
  namespace: string,
  [first, second]: readonly [string, string | undefined],
): RowId {
  if (second === undefined)
    return keysOf(description, namespace).rowIdOf(typedFields(description.id, first, 'The id'))
  const { key: fields, name } = lookupNamed(description, first)!
  const key = fields && lookupKeyOf(fields, typedFields(fields, second, `The key of "${name}"`))
  if (typeof key === 'string') return entryIdOf(name, key)
  throw new UsageError(
    `Only the database knows which entry of "${name}" has the key ${JSON.stringify(second)}.`,
  )
}

function keysOf(description: CacheDescription, namespace: string, hashId?: HashId) {
  return createKeySpace<object, never>({ ...description, namespace, fingerprint: '', hashId })
}

interface Place {
  readonly nodes: ValkeyNodes
  readonly namespace: string
  readonly listed: CatalogueListing
  readonly atRest: AtRest | undefined
}

async function explainKey(
  { atRest, listed, namespace, nodes }: Place,
  description: CacheDescription,
  rowId: RowId,
  fingerprint: string,
): Promise<ExplainedKey> {
  const keys = keysOf(description, namespace, hashIdOf(description, atRest))
  const { guard, key } = keys.guardedKeyOf(rowId, fingerprint)
  const isEntry = typeof rowId === 'string' && rowId.startsWith('\0')
  const own = isEntry ? key.slice(key.lastIndexOf(':') + 1) : fingerprint
  const read = (name: string) => nodes.nodeOf(name).call('GET', name) as Promise<string | null>
  const [stored, held, registered] = [
    await nodes.nodeOf(key).get(key),
    await read(guard),
    await read(keys.registerKey),
  ]
  const value = stored && (await openedValue(description, atRest, key, stored))
  if (typeof value === 'string')
    return { key, fingerprint: own, stored: { isHit: false, reason: value }, ...explainGuard(held) }
  const register = registerIn(registered ?? '')
  const counts = register && !register.isFenced && listed.epoch !== undefined
  // Which database the reader has is unknown here: that of the value.
  const mark = /^[^;]*;[^;]*(\.[0-9a-f]{12});/.exec(value?.toString('latin1') ?? '')?.[1] ?? ''
  const { epoch, existence } = counts
    ? epochsOf(register, listed.epoch!, mark)
    : { epoch: null, existence: null }
  const opened = openStored(
    // What is in a row is not shown: only its envelope is opened.
    { codec: { fingerprint: own, decodeUtf8: () => ({}) }, keys: { isRow: () => true } },
    rowId,
    value,
    // Entries carry the existence epoch.
    { epoch: isEntry ? existence : epoch, existence },
  )
  return { key, fingerprint: own, stored: explainStored(opened), ...explainGuard(held) }
}

/** A value as its codec has written it, or why it cannot be seen. */
async function openedValue(
  { atRest: form }: CacheDescription,
  atRest: AtRest | undefined,
  key: string,
  value: Buffer,
): Promise<Buffer | Unseen> {
  if (!form) return value
  return (await valueFormOf(form, atRest)?.open(key, value)) ?? 'encrypted'
}

const reasons: Readonly<Record<string, string>> = {
  not_cached: 'the store has nothing under its key',
  invalidated: 'it was invalidated by a write of unknown rows, or the register or the catalogue was lost',
  undecodable: 'what the store has is damaged, or of another schema',
  expired: 'its ttl has ended',
  encrypted: 'it is encrypted: whether a read would use it is seen with the keys of the application (--keys)',
  unknown_key:
    'it is encrypted with a key that was not given; processes that do not have it load the row again',
  tampered: 'it does not open with its key: it was changed, or copied from another key or namespace',
  damaged: 'what the store has is damaged, or of another form',
}

const guards = {
  none: 'nothing: the next read that misses it may store it',
  lease: 'a lease: a process loads it',
  fences: 'fences: a write is running, so nobody may store it',
  released: 'a mark: it was written a moment ago',
} as const satisfies Record<ExplainedKey['guard'], string>

function printKey({ guard, holders, key, stored }: ExplainedKey, { line }: Output): void {
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`
  line(key)
  line(
    stored.isHit
      ? `  hit          stored ${seconds(stored.ageMs)} ago, expires in ${seconds(stored.expiresInMs)}, ${stored.length} bytes`
      : `  miss         ${reasons[stored.reason] ?? stored.reason}`,
  )
  line(`  guarded by   ${guards[guard]}${holders.length > 0 ? ` (${holders.join(', ')})` : ''}`)
}
