import { extensionsOf, isOfTransaction, isUncached } from '../client-extensions.js'
import {
  omittedFieldsOf,
  type PrismaPromise,
  probeOf,
  type QueryParams,
  runtimeModelsOf,
} from '../internals.js'
import { readsOn } from './answer-reads.js'

/**
 * Checks without a connection that Prisma passes reads on as `reads` of `extendPrisma` assumes. If it does not, no query is answered from
 * then on. Does not change the client otherwise.
 *
 * @returns a sentence that says so; empty if all assumptions hold, or without `reads`
 */
export async function verifyReads(client: object): Promise<readonly string[]> {
  const model = Object.keys(runtimeModelsOf(client))[0]
  const problems = new Set<string>()
  for (const { client: answered, runner } of model === undefined ? [] : readsOn(client)) {
    const problem = await problemOf(answered, model!)
    if (problem === undefined) continue
    runner.planner.isDisabled = true
    problems.add(problem)
  }
  return [...problems].map(
    (problem) =>
      `Prisma passes queries on in another way than expected, so the database answers all of them, as without \`reads\` (${problem}); ` +
      'use a Prisma version that model-cache supports',
  )
}

/** What a probe has seen of a query. */
interface Seen {
  readonly client: object
  readonly params: QueryParams
}

type Delegates = Record<string, Record<string, (args: object) => PrismaPromise>>

async function problemOf(client: object, model: string): Promise<string | undefined> {
  const seen: Seen[] = []
  const row = { id: 'model-cache' }
  const methods = {
    async query(this: object, params: QueryParams) {
      seen.push({ client: this, params })
      return row
    },
  }
  /** A client whose queries return a row, and whose transactions never begin. */
  const open = (extension?: object): ReturnType<typeof probeOf> =>
    probeOf(client, methods, { transaction: async () => ({ id: 'model-cache' }) }, extension)
  const field = runtimeModelsOf(client)[model]!.fields.find(({ kind }) => kind !== 'object')!.name
  const assumptions: Readonly<Record<string, () => unknown>> = {
    'a query reaches the database in another form': async () => {
      const where = { model: 'cache' }
      const result = await find(open(), model, { where })
      const { params } = seen.at(-1)!
      const { action, args, dataPath, transaction } = params
      const isAlone = transaction === undefined && dataPath.length === 0
      return (
        result === row &&
        params.model === model &&
        action === 'findUnique' &&
        args?.['where'] === where &&
        isAlone
      )
    },
    'query hooks run after the query': async () => {
      const changed = { where: {} }
      const $allOperations = ({ query }: { query: (args: object) => unknown }) => query(changed)
      await find(open({ query: { $allModels: { $allOperations } } }), model, {})
      return seen.at(-1)!.params.args === changed
    },
    'a query in a transaction cannot be recognised': async () => {
      await open().$transaction((tx: object) => find(tx, model, {}))
      return seen.at(-1)!.params.transaction !== undefined
    },
    'a fluent call cannot be recognised': async () => {
      const fluent = fluentOf(client)
      if (!fluent) return true
      const query = find(open(), fluent.model, { where: {} }) as unknown as Record<
        string,
        () => PrismaPromise
      >
      await query[fluent.relation]!()
      return seen.at(-1)!.params.dataPath.length > 0
    },
    'the extensions of a client cannot be read': async () => {
      const compute = (): string => 'computed'
      const extended = open({
        result: { $allModels: { modelCache: { needs: { [field]: true }, compute } } },
      })
      await find(extended, model, {})
      const list = extensionsOf(seen.at(-1)!.client)
      const computed = list.getAllComputedFields(model)?.['modelCache']
      const hasOthers = list.getAllQueryCallbacks(model, 'findUnique').length > 0
      return computed?.needs.join() === field && !hasOthers && list.getAllBatchQueryCallbacks().length === 0
    },
    'fields that the client omits cannot be read': () =>
      typeof (omittedFieldsOf(client, model) ?? {}) === 'object',
    '`$uncached` cannot be recognised': () => {
      const { $uncached } = client as { $uncached: object }
      return isUncached(extensionsOf($uncached)) && !isUncached(extensionsOf(client))
    },
    '`$uncached` leaves a transaction': () => open().$transaction(async (tx: object) => isOfTransaction(tx)),
  }
  for (const [problem, holds] of Object.entries(assumptions)) {
    try {
      if (!(await holds())) return problem
    } catch (error) {
      return `${problem}: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  return undefined
}

function find(client: object, model: string, args: object): PrismaPromise {
  return (client as Delegates)[model]!['findUnique']!(args)
}

/** A relation to follow with a fluent call; undefined if no model has one. */
function fluentOf(client: object): { readonly model: string; readonly relation: string } | undefined {
  for (const [model, { fields }] of Object.entries(runtimeModelsOf(client))) {
    const relation = fields.find(({ relationName }) => typeof relationName === 'string')
    if (relation) return { model, relation: relation.name }
  }
  return undefined
}
