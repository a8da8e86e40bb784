import { isMysqlUrl } from '@model-cache/follow/internal'
import {
  handled,
  type CatalogueListing,
  connectNodes,
  readCatalogue,
  type ValkeyAddress,
} from 'model-cache/internal'
import type { Check } from './doctor.js'
import { fault } from './finding.js'
import { checkMysql } from './mysql/check-mysql.js'
import { postgresChecks } from './postgres/postgres-checks.js'
import { checkPackages } from './project/check-packages.js'
import { checkResults } from './results/check-results.js'
import { patienceMs, valkeyChecks } from './valkey/valkey-checks.js'

export interface DoctorOptions {
  /** The folder of the project. */
  readonly folder: string
  /** Undefined if no server is named: then it is not checked. */
  readonly valkey: ValkeyAddress | undefined
  /** The URL of the database; undefined if none is named. */
  readonly database: string | undefined
  readonly namespace: string
  /** The text of the Prisma schema; undefined if there is none. */
  readonly schema: string | undefined
  /** Whether the application follows the database. */
  readonly isFollowed: boolean
  readonly slot: string | undefined
  readonly publication: string | undefined
  /** Options of the application, in milliseconds. */
  readonly fenceMs: number
  readonly deadlineMs: number
  /** `consistency.replicas` of the application. */
  readonly replicas: number
  /** What the inspector says of queries; undefined if nobody has asked it. */
  readonly queries?: unknown
}

export interface AllChecks {
  readonly checks: readonly Check[]
  /** Call it when all checks have ended. */
  close(): Promise<void>
}

/** Puts all checks together. */
export function allChecks(options: DoctorOptions): AllChecks {
  const { database, deadlineMs, fenceMs, folder, isFollowed } = options
  const { namespace, publication, queries, replicas, schema, slot, valkey } = options
  const nodes = valkey ? connectNodes(valkey, patienceMs) : Promise.reject(new Error('no server is named'))
  // Each check handles them by itself.
  const listed: Promise<CatalogueListing> = handled(
    nodes.then((reached) => readCatalogue(reached, namespace)),
  )
  return {
    checks: [
      ...(valkey
        ? valkeyChecks({ nodes, listed, namespace, deadlineMs, isFollowed, replicas })
        : [withoutValkey]),
      ...(database !== undefined && isMysqlUrl(database)
        ? [{ id: 'mysql.server', run: () => checkMysql({ url: database, isFollowed, listed }) }]
        : postgresChecks({
            url: database,
            namespace,
            isFollowed,
            slot,
            publication,
            fenceMs,
            listed,
          })),
      { id: 'project.packages', run: () => checkPackages(folder, undefined, schema) },
      ...(queries === undefined ? [] : [{ id: 'results.kept', run: () => checkResults(queries) }]),
    ],
    async close() {
      const reached = await nodes.catch(() => undefined)
      reached?.close()
    },
  }
}

const withoutValkey: Check = {
  id: 'valkey.url',
  run: () => [
    fault(
      'note',
      'valkey.url',
      'Valkey was not checked: there is no URL.',
      'Its settings, rights and caches are unknown.',
      'Give --valkey, or set VALKEY_URL.',
    ),
  ],
}
