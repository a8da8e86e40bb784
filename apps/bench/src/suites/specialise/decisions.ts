import { ModelCacheWrites } from 'model-cache'
import { createCacheMetrics, type CacheObserver } from 'model-cache/advanced'
import { Registry } from 'prom-client'
import type { AuctionBid } from '#prisma/client/client.js'
import type { Task } from '../../harness/interleave.ts'
import { compileOneKey, compileTwoFieldKey, keyAtEachCall, type KeyModel } from './keys.ts'
import { answerOf, bidCodec, bidIds, bids, openLibrary, plainReads } from './reads.ts'

/** A decision that can be made once or at each call, as two programs that differ in nothing else. */
export interface Decision {
  readonly name: string
  /** What is compared, and whether it is code of the library or of this suite. */
  readonly about: string
  readonly variants: readonly [Variant, Variant]
  /** Each variant outside of a request, where it is a function that can be called alone. */
  readonly alone?: () => readonly Pick<Task, 'inputs' | 'run'>[]
}

interface Variant {
  readonly name: string
  /** Makes the function that answers a request; whatever can be decided before the first request is decided here. */
  open(): () => string | Promise<string>
}

/** The first variant decides once, at registration; the second one at each call. */
const onceOrEachTime = (first: Variant['open'], second: Variant['open']): readonly [Variant, Variant] => [
  { name: 'at registration', open: first },
  { name: 'at each call', open: second },
]

type Hook = (row: AuctionBid) => void
interface Hooks {
  beforeRow?: Hook
  onRow?: Hook
  afterRow?: Hook
}

function composeHooks({ beforeRow, onRow, afterRow }: Hooks): Hook {
  const configured = [beforeRow, onRow, afterRow].filter((hook) => hook !== undefined)
  if (configured.length === 0) return () => {}
  return (row) => {
    for (const hook of configured) hook(row)
  }
}

function checkHooksEachTime(configured: Hooks): Hook {
  return (row) => {
    if (configured.beforeRow) configured.beforeRow(row)
    if (configured.onRow) configured.onRow(row)
    if (configured.afterRow) configured.afterRow(row)
  }
}

const readsWith = (onRow: Hook) => () =>
  plainReads({ idOf: ({ id }) => id, storeUnder: (id) => id, keyOf: (id) => id, onRow })

const hooks: Decision = {
  name: 'hooks',
  about:
    'suite: three hooks of which none is configured, composed to nothing once, against an if for each of them at each row',
  variants: onceOrEachTime(readsWith(composeHooks({})), readsWith(checkHooksEachTime({}))),
  alone: () => [composeHooks({}), checkHooksEachTime({})].map((run) => ({ inputs: bids, run })),
}

function keyDecision(
  name: string,
  idFields: readonly string[],
  compile: (model: KeyModel) => (id: unknown) => string,
  idOf: (bid: AuctionBid) => unknown,
): Decision {
  const model: KeyModel = { namespace: 'mc', name: 'AuctionBid', fingerprint: bidCodec.fingerprint, idFields }
  const once = compile(model)
  const eachTime = (id: unknown): string => keyAtEachCall(model, id)
  const inputs = bids.map(idOf)
  return {
    name,
    about:
      `suite: keys of ${idFields.length === 1 ? 'a text' : 'two fields'} by a function made for them, against a join over the id fields ` +
      'of the model for each key; the library chooses by the number of fields, and walks those of a composite id at each call',
    variants: onceOrEachTime(
      () => plainReads({ idOf, storeUnder: once, keyOf: once }),
      () => plainReads({ idOf, storeUnder: once, keyOf: eachTime }),
    ),
    alone: () => [once, eachTime].map((run) => ({ inputs, run })),
  }
}

const reading = (name: string, createObserver?: () => CacheObserver): Variant => ({
  name,
  open() {
    const cache = openLibrary(createObserver ? { observer: createObserver() } : {})
    return async () => answerOf(await cache.getMany(bidIds))
  },
})

const writing = (mode: 'strict' | 'available'): Variant => ({
  name: mode,
  open() {
    const writes = new ModelCacheWrites()
    const cache = openLibrary({ writes, consistency: { mode } })
    let written = 0
    return async () => {
      const write = writes.begin()
      write.markWritten('AuctionBid', [{ id: bidIds[written++ % bidIds.length] }])
      await write.fence()
      await write.end()
      return answerOf(await cache.getMany(bidIds))
    }
  },
})

export const allDecisions: readonly Decision[] = [
  {
    name: 'consistency',
    about:
      "library: consistency 'strict' against 'available', each request a fenced write and 100 reads; the mode matters only when a " +
      'fence fails, so both should be alike',
    variants: [writing('strict'), writing('available')],
  },
  {
    name: 'observers',
    about:
      'library: no observer against its metrics in prom-client; observers are bound when a model is registered, and called per ' +
      'batch, never per row',
    variants: [reading('unobserved'), reading('metrics', () => createCacheMetrics(new Registry()))],
  },
  hooks,
  keyDecision('one id', ['id'], compileOneKey, ({ id }) => id),
  keyDecision('composite id', ['auctionItemId', 'id'], compileTwoFieldKey, ({ auctionItemId, id }) => ({
    auctionItemId,
    id,
  })),
]

/** The same program twice: a difference must exceed its noise. */
export const control: Decision = {
  name: 'A/A',
  about: 'library: the same program twice, so a difference is noise of the machine and of two processes',
  variants: [reading('one'), reading('other')],
}
