import { describeReads, type ReadsReport } from '../source/prisma/reads/query-coverage.js'
import type { ReadDefinition } from '../source/prisma/reads/read-options.js'
import type { AtRest, Store } from '../protocol/index.js'

/** What a root has found at its start. */
export interface StartedRoot {
  /** Undefined for the unnamed root. */
  readonly name: string | undefined
  readonly namespace: string
  readonly caches: readonly ReadDefinition[]
  /** The client whose queries caches answer; undefined if forRoot has none. */
  readonly prisma: object | undefined
  /** For people; undefined without a Prisma client. */
  readonly database: string | undefined
  readonly store: Store
  /** Undefined if nothing is encrypted. */
  readonly atRest: Pick<AtRest, 'described'> | undefined
}

export interface StartReport {
  /** What works with what, in one line. */
  readonly line: string
  readonly warnings: readonly string[]
}

/** Names beyond these are counted. */
const maxNames = 20

/** Describes a root at its start, so that nobody has to find out from its behaviour what it does. */
export function startReportOf(root: StartedRoot): StartReport {
  const { atRest, caches, database, name, namespace, prisma, store } = root
  const reads = prisma && describeReads(prisma, caches)
  const parts = [
    caches.length === 0
      ? 'no caches'
      : `${caches.length === 1 ? '1 cache' : `${caches.length} caches`} (${listOf(caches.map((cache) => cache.name))})`,
    ...(prisma ? [`reads: ${reads ? modeOf(reads) : 'none'}`] : []),
    ...(reads && reads.results.length > 0 ? [`results of ${listOf(reads.results)}`] : []),
    ...(atRest ? [atRest.described] : []),
    `namespace "${namespace}"`,
    // The names of databases begin with the word.
    ...(database === undefined ? [] : [database.startsWith('database') ? database : `database ${database}`]),
    store.address ? `${store.name} ${store.address()}` : store.name,
  ]
  return {
    line: [`${name === undefined ? '' : `Root "${name}": `}${parts.join(', ')}.`, ...notesOf(reads)].join(
      ' ',
    ),
    warnings: reads ? warningsOf(reads, caches) : [],
  }
}

function modeOf({ caches, isShadow }: ReadsReport): string {
  return isShadow ? 'shadow' : caches === 'all' ? 'all' : listOf(caches)
}

function notesOf(reads: ReadsReport | undefined): readonly string[] {
  if (!reads) return []
  const { isShadow, lacking, silent } = reads
  return [
    ...(isShadow
      ? ['In shadow mode the database answers all queries, and caches are compared with it.']
      : []),
    ...[...lacking].map(
      ([model, fields]) =>
        `Queries of ${model} without \`select\` go to the database: its caches do not have ${listOf(fields)} as the database does.`,
    ),
    ...(silent.length > 0
      ? [`No queries are answered by ${listOf(silent)}, whose rows are not just fields of their models.`]
      : []),
  ]
}

function warningsOf(
  { canAnswer, caches: named, results }: ReadsReport,
  caches: readonly ReadDefinition[],
): string[] {
  const registered = new Set(caches.map(({ name }) => name))
  const missing = named === 'all' ? [] : named.filter((name) => !registered.has(name))
  if (missing.length > 0)
    return [
      `\`reads\` lists ${listOf(missing)}, which no module registers, so the database answers their queries. Import ` +
        'ModelCacheModule.forFeature([...]) with these definitions.',
    ]
  if (canAnswer || results.length > 0) return []
  return [
    caches.length === 0
      ? '`reads` is set, but no cache is registered, so the database answers all queries. Import ModelCacheModule.forFeature([...]) ' +
        'with the definitions.'
      : '`reads` is set, but no cache can answer queries, so the database answers all of them: rows have to be fields of one model, ' +
        'without `load` and relations. See docs/transparent-reads.md.',
  ]
}

function listOf(names: readonly string[]): string {
  const more = names.length - maxNames
  return more > 0 ? `${names.slice(0, maxNames).join(', ')} and ${more} more` : names.join(', ')
}
