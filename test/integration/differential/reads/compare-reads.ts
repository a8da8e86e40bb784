/** Runs random reads through both clients, and says how their results differ. */
import { Random } from '../random.ts'
import { asCode, show } from '../show.ts'
import { shrink } from '../shrink.ts'
import { Prisma } from './client/client.ts'
import type { ReadClients } from './clients.ts'
import { differenceOf, inAnyOrder, objectsIn, spoil } from './difference.ts'
import { delegateOf } from './models.ts'
import { type Outcome, perform } from './perform.ts'
import type { Query } from './query.ts'
import type { ReadDialect } from './read-dialects.ts'
import { ReadGenerator, type Step } from './random-read.ts'

export interface ReadComparison {
  /** How many reads were compared. */
  readonly reads: number
  /** How many of them had a result, and how many failed. */
  readonly ends: { readonly succeeded: number; readonly failed: number }
  /** The first difference, for people; undefined when there was none. */
  readonly difference: string | undefined
}

/** Steps of one episode, which begins with fresh tables and empty caches. */
const episodeLength = 40
/** Steps after which keys are rotated, if there are any: what was stored with those before is read with others. */
const rotatedAfter = 20

/** Compares so many random reads, in episodes of which each has the next seed, up to the first difference. */
export async function compareReads(
  clients: ReadClients,
  seed: number,
  reads: number,
): Promise<ReadComparison> {
  const ends = { succeeded: 0, failed: 0 }
  let count = 0
  for (; count < reads; seed++) {
    const generator = new ReadGenerator(new Random(seed), Object.keys(clients.plain), clients.dialect)
    await clients.refill()
    const episode = new Episode(clients)
    const steps: Step[] = []
    while (steps.length < episodeLength) {
      if (steps.length === rotatedAfter) await clients.rotateKeys()
      const step = generator.step()
      steps.push(step)
      const difference = await episode.step(step, ends)
      count += step.queries.length
      if (difference === undefined) continue
      const small = await smallestOf(clients, steps, difference)
      return {
        reads: count,
        ends,
        difference: report(clients.dialect, seed, small.steps, small.difference),
      }
    }
  }
  return { reads: count, ends, difference: undefined }
}

function report(
  { kind, timeZone }: ReadDialect,
  seed: number,
  steps: readonly Step[],
  difference: string,
): string {
  return `The results differ after the last of these steps:

${steps.map(asStatement).join('\n')}

${difference}

To repeat it: npm run fuzz -- reads --database ${kind.name} --zone ${timeZone} --seed ${seed} --reads 1`
}

/** Fewer and smaller steps that show the same difference, or one of the same kind. */
async function smallestOf(
  clients: ReadClients,
  steps: readonly Step[],
  original: string,
): Promise<{ steps: readonly Step[]; difference: string }> {
  let found = original
  const fails = async (candidate: readonly Step[]): Promise<boolean> => {
    const difference = await replay(clients, candidate)
    if (difference === undefined || kindOf(difference) !== kindOf(original)) return false
    found = difference
    return true
  }
  const smallest = await shrink(steps, fails, {
    fixed: ['form', 'client', 'model', 'operation', 'relation'],
    required: ['args', 'queries'],
  })
  return { steps: smallest, difference: found }
}

/** Without what gets smaller. */
function kindOf(difference: string): string {
  return difference
    .replace(/^plain:.*/ms, '')
    .replaceAll(/\d+|\.\w+/g, '')
    .slice(0, 60)
}

async function replay(clients: ReadClients, steps: readonly Step[]): Promise<string | undefined> {
  await clients.refill()
  const episode = new Episode(clients)
  for (const step of steps) {
    const difference = await episode.step(step)
    if (difference !== undefined) return difference
  }
  return undefined
}

class Episode {
  readonly #clients: ReadClients
  /** Every object that a result of the extended clients had. */
  readonly #seen = new WeakSet<object>()

  constructor(clients: ReadClients) {
    this.#clients = clients
  }

  async step(step: Step, ends = { succeeded: 0, failed: 0 }): Promise<string | undefined> {
    const { plain, extended } = this.#clients
    // In sequence: a plain transaction must not wait for the rows of an extended one.
    const ofPlain = await perform(plain[step.client]!, step, true)
    if (this.#clients.keepsResults && step.form === 'reads') {
      for (const first of await perform(extended[step.client]!, step, false))
        if ('value' in first) spoil(first.value)
      await this.#clients.stored()
    }
    const ofExtended = await perform(extended[step.client]!, step, false)
    const isCompared = (_: unknown, index: number): boolean =>
      !this.#saysOther(step, index, ofPlain[index], ofExtended[index])
    const [expected, actual] = [ofPlain.filter(isCompared), ofExtended.filter(isCompared)]
    const compared = step.form === 'reads' ? { ...step, queries: step.queries.filter(isCompared) } : step
    for (const outcome of expected) ends['error' in outcome ? 'failed' : 'succeeded']++
    const difference = this.#sharedObject(actual) ?? (await this.#difference(compared, expected, actual))
    if (difference === undefined) {
      for (const outcome of actual) if ('value' in outcome) spoil(outcome.value)
      return undefined
    }
    return `${difference}\n\n${expected.map((outcome, index) => briefly(outcome, actual[index])).join('\n')}`
  }

  async #difference(
    step: Step,
    expected: readonly Outcome[],
    actual: readonly Outcome[],
  ): Promise<string | undefined> {
    const difference = differenceBetween(this.#clients.dialect, step, expected, actual)
    if (difference === undefined || step.form !== 'reads' || step.queries.length === 1) return difference
    const others = await this.#alternatives(step, expected, actual)
    const compared = step.queries.flatMap((_, index) => (others[index] ? [index] : []))
    return differenceBetween(
      this.#clients.dialect,
      { ...step, queries: compared.map((index) => step.queries[index]!) },
      compared.map((index) => others[index]!),
      compared.map((index) => actual[index]!),
    )
  }

  /**
   * Prisma puts findUnique queries of one turn together, and then has other results for some: no row for an id that is spelled
   * differently from how the database shows it, the error of another query, less of a message. A query that follows one that
   * was answered from the cache may have the result that it has alone, and one that fails in both ways is not compared further.
   */
  async #alternatives(
    step: Extract<Step, { form: 'reads' }>,
    expected: readonly Outcome[],
    actual: readonly Outcome[],
  ): Promise<readonly (Outcome | undefined)[]> {
    const outcomes: (Outcome | undefined)[] = []
    for (const [index, query] of step.queries.entries()) {
      const alone = { ...step, queries: [query] }
      const isEqualTo = (outcome: Outcome): boolean =>
        differenceBetween(this.#clients.dialect, alone, [outcome], [actual[index]!]) === undefined
      if (isEqualTo(expected[index]!)) {
        outcomes.push(expected[index]!)
        continue
      }
      const [outcome] = (await perform(this.#clients.plain[step.client]!, alone, true)) as [Outcome]
      if (losesErrors && 'error' in outcome && isLost(query, actual[index]!)) {
        outcomes.push(actual[index]!)
        continue
      }
      // The messages of queries that are put together repeat the values of all, so those of fewer are different ones.
      const isError = [outcome, expected[index]!].some((each) => isOfOneKind(each, actual[index]!))
      // A row that must exist has the error of another one, if both go to the database in one turn after a cache was asked.
      const others = expected.filter((_, i) => isPutTogether(step.queries[i]!, query))
      const isOfAnother = others.some((other) => isOfOneKind(other, actual[index]!))
      outcomes.push((isError && !isEqualTo(outcome)) || isOfAnother ? undefined : outcome)
    }
    return outcomes
  }

  /**
   * Whether a query fails as it does in Prisma, but for the message, which shows the arguments as the caller has changed them meanwhile. That
   * of a result shows them as they were sent.
   */
  #saysOther({ queries }: Step, index: number, expected?: Outcome, actual?: Outcome): boolean {
    const isChanged = queries[index]?.manner === 'changed'
    return this.#clients.keepsResults && isChanged && !!expected && !!actual && isOfOneKind(expected, actual)
  }

  #sharedObject(actual: readonly Outcome[]): string | undefined {
    const values = actual.flatMap((outcome) => ('value' in outcome ? [outcome.value] : []))
    const objects = values.flatMap((value) => [...objectsIn(value)])
    const shared = objects.find((object) => this.#seen.has(object))
    if (shared) return `An object of an earlier result is given again: ${show(shared)}`
    for (const object of objects) this.#seen.add(object)
    return undefined
  }
}

/** Prisma 6 throws the error of `findUniqueOrThrow` once for all equal queries of a turn, and gives the others `undefined`. */
const losesErrors = Prisma.prismaVersion.client.startsWith('6.')

const isLost = ({ operation }: Query, outcome: Outcome): boolean =>
  operation === 'findUniqueOrThrow' && 'value' in outcome && outcome.value === undefined

function isPutTogether(one: Query, other: Query): boolean {
  return (
    one !== other &&
    one.model === other.model &&
    [one, other].every(({ operation }) => operation === 'findUniqueOrThrow')
  )
}

function isOfOneKind(one: Outcome, other: Outcome): boolean {
  if (!('error' in one) || !('error' in other)) return false
  const [kind, otherKind] = [one, other].map(({ error }) => {
    const { name, code } = error as Error & { code?: string }
    return `${name} ${code}`
  })
  return kind === otherKind
}

function differenceBetween(
  dialect: ReadDialect,
  step: Step,
  expected: readonly Outcome[],
  actual: readonly Outcome[],
): string | undefined {
  if (expected.length !== actual.length) return `${actual.length} outcomes instead of ${expected.length}`
  return differenceOf(
    inOrder(dialect, step, expected.map(comparable)),
    inOrder(dialect, step, actual.map(comparable)),
  )
}

/**
 * Without what differs from time to time in a plain client: a panic of Prisma's engine links to an issue with its log, and an
 * error has the position of its query among those that Prisma has put together.
 */
function comparable(outcome: Outcome): Outcome {
  const { error } = outcome as { error?: unknown }
  if (!(error instanceof Error)) return outcome
  if (error.name === 'PrismaClientRustPanicError') {
    return { error: `${error.name}: ${error.message.split('https://', 1)[0]}` }
  }
  delete (error as { batchRequestIdx?: number }).batchRequestIdx
  return outcome
}

/** Puts rows in order where SQL promises none. */
function inOrder(
  dialect: ReadDialect,
  { form, queries: all }: Step,
  outcomes: readonly Outcome[],
): readonly Outcome[] {
  const queries = all.filter(({ operation }) => /^(find|count)/.test(operation))
  if (form === 'batch') {
    const [outcome] = outcomes
    if (!outcome || !('value' in outcome)) return outcomes
    return [
      { value: (outcome.value as unknown[]).map((value, index) => orderOf(dialect, queries[index]!, value)) },
    ]
  }
  return outcomes.map((outcome, index) =>
    'value' in outcome ? { ...outcome, value: orderOf(dialect, queries[index]!, outcome.value) } : outcome,
  )
}

/** If the arguments change once the query has begun, Prisma may read them without their order. */
function orderOf(dialect: ReadDialect, query: Query, value: unknown): unknown {
  const { chain = [], manner, operation } = query
  if (!operation.startsWith('find')) return value
  let { args, model } = query
  for (const { args: ofRelation, relation } of chain) {
    model = dialect.models[model]?.relations[relation]?.to ?? model
    args = ofRelation
  }
  const given = (args ?? {}) as RelationArgs
  const inRelations = (row: unknown): unknown => relationsInOrder(dialect, model, given, row)
  if (!Array.isArray(value)) return inRelations(value)
  const rows = value.map(inRelations)
  const fixed = chain.length > 0 ? undefined : new Set(Object.keys((given.where ?? {}) as object))
  return manner !== 'changed' && isOrdered(dialect, model, given, fixed) ? rows : inAnyOrder(rows)
}

interface RelationArgs {
  readonly where?: unknown
  readonly orderBy?: unknown
  readonly take?: unknown
  readonly skip?: unknown
  readonly cursor?: unknown
  readonly select?: unknown
  readonly include?: unknown
}

/** The row, with the rows of its relations in order. */
function relationsInOrder(
  dialect: ReadDialect,
  model: string,
  { include, select }: RelationArgs,
  row: unknown,
): unknown {
  const requested = Object.entries({ ...(select as object), ...(include as object) })
  const relations = requested.flatMap(([name, args]) => {
    const relation = dialect.models[model]?.relations[name]
    if (!relation || (args !== true && (typeof args !== 'object' || args === null))) return []
    return [[relation, (args === true ? {} : args) as RelationArgs] as const]
  })
  if (typeof row !== 'object' || row === null || relations.length === 0) return row
  const copy = Object.create(
    Object.getPrototypeOf(row) as object,
    Object.getOwnPropertyDescriptors(row),
  ) as Record<string, unknown>
  for (const [{ name, to }, args] of relations) {
    const value = copy[name]
    if (!Array.isArray(value)) copy[name] = relationsInOrder(dialect, to, args, value)
    else {
      const rows = value.map((each) => relationsInOrder(dialect, to, args, each))
      copy[name] = isOrdered(dialect, to, args) ? rows : inAnyOrder(rows)
    }
  }
  return copy
}

/** @param fixed the fields that a condition names. @default those of the relation, whichever they are */
function isOrdered(
  dialect: ReadDialect,
  model: string,
  args: RelationArgs,
  fixed?: ReadonlySet<string>,
): boolean {
  const { orderBy = [] } = args
  // Also `[]`, `{}` and `{ id: undefined }` order nothing.
  return /: ["{]/.test(show([orderBy])) ? !leavesTies(dialect, model, orderBy, fixed) : isPage(args)
}

/** Prisma orders a page by the primary key if nothing else does. */
function isPage({ cursor, skip, take }: RelationArgs): boolean {
  const isCut = [skip, take].some((rows) => typeof rows === 'number' && rows > 0)
  return isCut || /^\{ \w+: ["{\d-]/.test(show(cursor))
}

/** Whether rows may be equal in an order. The database may return these in any; a cache does so in the order of its list, or of ids. */
function leavesTies(
  { lookups, models }: ReadDialect,
  model: string,
  orderBy: unknown,
  named: ReadonlySet<string> | undefined,
): boolean {
  const given = [orderBy].flat() as object[]
  const ordered = given.flatMap((entry) =>
    Object.keys(entry ?? {}).filter((field) => entry[field as never] !== undefined),
  )
  // All rows of a list have one key.
  const keys = lookups.filter(
    (lookup) =>
      lookup.model === model &&
      lookup.through === undefined &&
      lookup.by.every((field) => named?.has(field) ?? true) &&
      show(lookup.orderBy) === show(given),
  )
  const fixed = new Set([...ordered, ...keys.flatMap(({ by }) => by)])
  return !models[model]!.unique.some(({ fields }) => fields.every((field) => fixed.has(field)))
}

function briefly(expected: Outcome, actual: Outcome | undefined): string {
  const [plain, extended] = [brief(expected), actual ? brief(actual) : 'nothing']
  return plain === extended ? `both:     ${plain.slice(0, 200)}` : `plain:    ${plain}\nextended: ${extended}`
}

function brief(outcome: Outcome): string {
  if ('value' in outcome) return show(outcome.value)
  const { error } = outcome
  if (!(error instanceof Error)) return `throws ${show(error)}`
  return `throws ${error.name} ${show({ ...error })}: ${error.message.trim().split('\n').slice(-3).join('\n')}`
}

function asStatement(step: Step): string {
  const call = ({ model, operation, args, chain = [], manner }: Query): string =>
    [
      `${delegateOf(model)}.${operation}(${asCode(args)})`,
      ...chain.map(({ relation, args }) => `.${relation}(${asCode(args)})`),
      ...(manner ? [` /* ${manner} */`] : []),
    ].join('')
  const calls = step.queries.map(call)
  switch (step.form) {
    case 'write':
      return `await ${step.client}.${calls[0]}`
    case 'reads': {
      const list = calls.map((each) => `${step.client}.${each}`)
      return list.length === 1 && !step.isTwice
        ? `await ${list[0]}`
        : `await Promise.all([${list.join(', ')}])${step.isTwice ? ' // twice' : ''}`
    }
    case 'batch':
      return `await ${step.client}.$transaction([${calls.map((each) => `${step.client}.${each}`).join(', ')}])`
    case 'transaction':
      return `await ${step.client}.$transaction(async (tx) => { ${[...calls.map((each) => `await tx.${each}`), ...(step.isAbandoned ? ['throw new Error()'] : [])].join('; ')} })`
  }
}
