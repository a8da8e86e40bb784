/** Runs writes on both databases, and says how their outcomes differ. */
import { breaksBoth, hasNestedDeleteMany } from './broken-constraints.ts'
import { change, given as givenArgs } from './manners.ts'
import { delegateOf } from './models.ts'
import {
  type Args,
  queriesOf,
  type Query,
  type Snapshot,
  type Write,
  WriteGenerator,
} from './random-write.ts'
import { Random } from './random.ts'
import { asCode, copyOf, show } from './show.ts'
import { shrink } from './shrink.ts'
import type { Cache, Client, EqualDatabases } from './equal-databases.ts'

export interface Comparison {
  /** How many writes ran. */
  readonly writes: number
  /** How many of them succeeded, by their form, `'update'` or `'batch'`, and by how arguments were given: `'class'`. */
  readonly succeeded: Readonly<Record<string, number>>
  /** The first difference, for people; undefined when there was none. */
  readonly difference: string | undefined
}

interface Difference {
  readonly kind: 'result' | 'arguments' | 'tables' | 'lookup' | 'cache'
  /** Of results, what kind each of the two is of, such as two errors by their codes. */
  readonly outcomes?: string
  readonly details: string
}

/** Writes of one episode, which begins with fresh tables: enough to meet what earlier ones left, few enough to repeat. */
const episodeLength = 40
/** Results, and the caches of models that have changed, are compared after each write; these after so many writes. */
const tablesEvery = 4
const allCachesEvery = 20

/** Compares so many random writes, in episodes of which each has the next seed, up to the first difference. */
export async function compareWrites(
  databases: EqualDatabases,
  seed: number,
  writes: number,
): Promise<Comparison> {
  const succeeded: Record<string, number> = {}
  let count = 0
  for (; count < writes; seed++) {
    const random = new Random(seed)
    const run = await Run.begin(databases, random, succeeded)
    const generator = new WriteGenerator(random, () => run.snapshot, databases.dialect)
    const episode: Write[] = []
    while (episode.length < episodeLength) {
      const write = generator.write()
      episode.push(write)
      const difference = await run.step(write, episode.length)
      if (difference) {
        const small = await smallestOf(databases, seed, episode, difference)
        return {
          writes: count + episode.length,
          succeeded,
          difference: report(seed, small.writes, small.difference),
        }
      }
      if (run.isOver) break
    }
    count += episode.length
  }
  return { writes: count, succeeded, difference: undefined }
}

const titles: Record<Difference['kind'], string> = {
  result: 'The results differ',
  arguments: 'The arguments were changed',
  tables: 'The tables differ',
  lookup: 'A row has entered a lookup unannounced',
  cache: 'A cache is stale',
}

function report(seed: number, writes: readonly Write[], { kind, details }: Difference): string {
  return `${titles[kind]} after the last of these writes:

${asStatements(writes)}

${details}

To repeat it: npm run fuzz -- writes --seed ${seed} --writes ${episodeLength}`
}

/** Fewer and smaller writes that show a difference of the same kind. */
async function smallestOf(
  databases: EqualDatabases,
  seed: number,
  writes: readonly Write[],
  original: Difference,
): Promise<{ writes: readonly Write[]; difference: Difference }> {
  let found = original
  const fails = async (candidate: readonly Write[]): Promise<boolean> => {
    const difference = await replay(databases, seed, candidate)
    if (difference?.kind !== original.kind || difference.outcomes !== original.outcomes) return false
    found = difference
    return true
  }
  const smallest = await shrink(writes, fails, {
    fixed: ['form', 'model', 'operation', 'isAbandoned'],
    required: ['args', 'queries'],
  })
  return { writes: smallest, difference: found }
}

function asStatements(writes: readonly Write[]): string {
  const query = ({ model, operation, args, manner }: Query): string =>
    `${delegateOf(model)}.${operation}(${asCode(args)}${manner ? ` /* ${manner} */` : ''})`
  const statement = (write: Write): string => {
    if (write.form === 'query') return `await prisma.${query(write)}`
    if (write.form === 'batch') {
      return `await prisma.$transaction([${write.queries.map((each) => `prisma.${query(each)}`).join(', ')}])`
    }
    const body = write.queries.map((each) => `await tx.${query(each)}`)
    return `await prisma.$transaction(async (tx) => { ${[...body, ...(write.isAbandoned ? ['throw new Error()'] : [])].join('; ')} })`
  }
  const first = ({ isFirst }: Write): string => (isFirst ? ' // the first of its client' : '')
  return writes.map((write) => statement(write) + first(write)).join('\n')
}

async function replay(
  databases: EqualDatabases,
  seed: number,
  writes: readonly Write[],
): Promise<Difference | undefined> {
  const run = await Run.begin(databases, new Random(seed), {})
  for (const write of writes) {
    const difference = await run.step(write)
    if (difference) return difference
    if (run.isOver) break
  }
  return undefined
}

/** What belongs to one episode. */
export class Run {
  snapshot: Snapshot = new Map()
  /** Whether the sequences of the databases may differ, so that later writes do. */
  isOver = false
  readonly #databases: EqualDatabases
  readonly #succeeded: Record<string, number>
  readonly #caches: readonly Cache[]
  /** The ids that were ever read from each cache, by their text. */
  readonly #idsRead: ReadonlyMap<Cache, Map<string, unknown>>
  /** Rows of the snapshot as text. */
  readonly #texts = new WeakMap<Args, string>()
  readonly #begun = Date.now()

  private constructor(databases: EqualDatabases, succeeded: Record<string, number>) {
    this.#databases = databases
    this.#succeeded = succeeded
    this.#caches = databases.cached()
    this.#idsRead = new Map(this.#caches.map((cache) => [cache, new Map()]))
  }

  static async begin(
    databases: EqualDatabases,
    random: Random,
    succeeded: Record<string, number>,
  ): Promise<Run> {
    // All models in half of the episodes; what is written is found out in other ways where fewer are cached.
    const share = random.pick([100, 70])
    await databases.refill(random, share)
    const run = new Run(databases, succeeded)
    const stale = await run.staleRow(true)
    if (stale !== undefined) throw new Error(`The episode began with a difference: ${stale}`)
    return run
  }

  /** @param position - of the write in its episode, which says what is compared. @default everything is */
  async step(write: Write, position = 0): Promise<Difference | undefined> {
    const opened = write.isFirst ? this.#databases.openOthers() : undefined
    const { plain, extended } = opened ?? this.#databases
    const now = this.#begun
    const given = copyOf(write)
    this.#databases.lookups.reset()
    const [expected, actual] = await Promise.all([
      outcomeOf(plain, copyOf(write), now),
      outcomeOf(extended, given, now),
    ])
    await opened?.close()
    this.isOver = areRefusals(write, expected, actual)
    const areEqual =
      expected.text === actual.text || breaksBoth(write, { expected: expected.error, actual: actual.error })
    if (!areEqual && !this.isOver) {
      const outcomes = `${expected.error} ${actual.error}`
      return { kind: 'result', outcomes, details: `plain:    ${expected.text}\nextended: ${actual.text}` }
    }
    if (expected.error === undefined) {
      const form = write.form === 'query' ? write.operation : write.form
      const given = queriesOf(write).flatMap(({ manner }) => manner ?? [])
      for (const each of [form, ...given]) this.#succeeded[each] = (this.#succeeded[each] ?? 0) + 1
    }
    if (show(given) !== show(write)) {
      return { kind: 'arguments', details: `given: ${show(write)}\nleft:  ${show(given)}` }
    }
    if (position % tablesEvery === 0) {
      const tables = await this.#databases.differingTables()
      if (tables.length > 0) return { kind: 'tables', details: tables.join('\n') }
    }
    const before = this.snapshot
    const stale = await this.staleRow(position % allCachesEvery === 0)
    const cached = new Set(this.#caches.map(({ model }) => model.name))
    const entered = this.#databases.lookups.unannounced(cached, before, this.snapshot)
    if (entered !== undefined) return { kind: 'lookup', details: entered }
    return stale === undefined ? undefined : { kind: 'cache', details: stale }
  }

  /** Compares the rows of caches with the database. Afterwards they are in the caches. */
  async staleRow(inAllCaches: boolean): Promise<string | undefined> {
    const before = this.snapshot
    this.snapshot = await this.#databases.snapshot()
    const changed = this.#caches.filter(
      ({ model: { name } }) => inAllCaches || this.snapshot.get(name) !== before.get(name),
    )
    const found = await Promise.all(changed.map((cache) => this.#staleRowOf(cache)))
    return found.find((difference) => difference !== undefined)
  }

  async #staleRowOf(each: Cache): Promise<string | undefined> {
    const { cache, idFields, model } = each
    const ids = this.#idsRead.get(each)!
    const rows = new Map<string, Args>()
    // Another spelling of an id is read as well, and finds the row where the database compares so.
    const keyOf = idFields.some((field) => looseFields.has(`${model.name}.${field}`))
      ? (name: string): string => name.toLowerCase()
      : (name: string): string => name
    for (const row of this.snapshot.get(model.name)!) {
      if (idFields.some((field) => row[field] === null)) continue
      const id =
        idFields.length === 1
          ? row[idFields[0]!]
          : Object.fromEntries(idFields.map((field) => [field, row[field]]))
      // One spelling of each id, the one that is stored: others are not what this compares.
      const name = show(id).toLowerCase()
      ids.set(name, id)
      rows.set(name, row)
    }
    const answers = await cache.getMany([...ids.values()] as never[])
    for (const [index, [name]] of [...ids].entries()) {
      const expected = this.#shown(rows.get(keyOf(name)))
      const actual = show(answers[index], { sortsKeys: true })
      if (expected === actual) continue
      return `${model.name} by ${idFields.join(', ')}: ${name}\n  database: ${expected}\n  cache:    ${actual}`
    }
    await cache.drain()
    return undefined
  }

  #shown(row: Args | undefined): string {
    if (!row) return 'null'
    const text = this.#texts.get(row) ?? show(row, { sortsKeys: true })
    this.#texts.set(row, text)
    return text
  }
}

/** Of MySQL, whose errors name it. */
const databaseName = /test_[0-9a-f]{12}/g

/** Those that PostgreSQL compares without case. */
const looseFields: ReadonlySet<string> = new Set(['Account.email'])

/** What came out of a write. */
interface Outcome {
  readonly text: string
  /** The code or the name of an error. */
  readonly error: string | undefined
}

async function outcomeOf(client: Client, write: Write, now: number): Promise<Outcome> {
  try {
    return { text: show(await perform(client, write), { now, sorts: true }), error: undefined }
  } catch (error) {
    if (!(error instanceof Error)) return { text: `throws ${show(error)}`, error: 'thrown' }
    const { name, message, code, meta } = error as Error & { code?: string; meta?: object }
    // Which row of many violates a constraint first, and so which constraint it is, depends on where they are stored.
    const isOfMany =
      ((code === 'P2002' || code === 'P2003') &&
        (/\.(?:update|delete)Many\w*\(\)/.test(message) || hasNestedDeleteMany(write))) ||
      // Prisma 6 has no code for RESTRICT.
      (name === 'DriverAdapterError' && /violates RESTRICT/.test(message) && deletesMany(write))
    const shown = withoutTimes(withoutArguments(write, error), now)
    const text = isOfMany
      ? 'a constraint is violated'
      : show({ name, code, message: shown, meta }, { now }).replaceAll(databaseName, 'test')
    return { text: `throws ${text}`, error: code ?? name }
  }
}

function deletesMany(write: Write): boolean {
  return hasNestedDeleteMany(write) || queriesOf(write).some(({ operation }) => operation === 'deleteMany')
}

/**
 * Prisma refuses a batch before it runs, if any of its queries can never succeed. Where the extension runs the queries in
 * order, earlier ones have run by then, or fail first.
 */
function areRefusals({ form }: Write, expected: Outcome, actual: Outcome): boolean {
  // A bigint that a `toJSON` returns is a TypeError.
  const isRefused = ['PrismaClientValidationError', 'P2014', 'TypeError'].includes(expected.error!)
  return form === 'batch' && isRefused && actual.error !== undefined
}

/** What Prisma says of a query that it refuses shows its arguments, and the extension sends a copy of them. */
function withoutArguments(write: Write, { message, name }: Error): string {
  const manners = queriesOf(write).flatMap(({ manner }) => manner ?? [])
  if (manners.length === 0 || name !== 'PrismaClientValidationError') return message
  // Prisma looks for the reason in the arguments, where it does not see inherited ones.
  return manners.includes('inherited') ? '' : message.trimEnd().split('\n').at(-1)!
}

/** Some messages repeat the row, or name the database. */
function withoutTimes(message: string, now: number): string {
  const text = message.replaceAll(databaseName, 'test')
  return text.replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, (time) =>
    Date.parse(`${time.replace(/Z$/, '')}Z`) >= now ? 'now' : time,
  )
}

export async function perform(client: Client, write: Write): Promise<unknown> {
  switch (write.form) {
    case 'query':
      return start(client, write)
    case 'batch': {
      const calls = write.queries.map((query) => call(client, query))
      const promise = client.$transaction(calls.map((each) => each.promise))
      for (const { query, given } of calls) if (query.manner === 'changed') change(given)
      return promise
    }
    case 'transaction':
      return client.$transaction(async (tx) => {
        const results: unknown[] = []
        for (const query of write.queries) results.push(await start(tx, query))
        if (write.isAbandoned) throw new Error('abandoned')
        return results
      })
  }
}

function start(client: Client, query: Query): PromiseLike<unknown> {
  const { given, promise } = call(client, query)
  if (query.manner !== 'changed') return promise
  // Prisma begins when `then` is called.
  const begun = promise.then((value) => value)
  change(given)
  return begun
}

function call(client: Client, query: Query) {
  const { model, operation, args, manner } = query
  const given = manner === undefined ? args : (givenArgs(args, manner) as Args)
  return { query, given, promise: client[delegateOf(model)]![operation]!(given) }
}
