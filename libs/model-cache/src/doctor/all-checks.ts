import { resolve } from 'node:path'
import {
  awaitedLater,
  connectNodes,
  readCatalogue,
  type CatalogueListing,
  type ValkeyAddress,
} from '../protocol/index.js'
import type { Check } from './doctor.js'
import { fault } from './finding.js'
import { isMysqlUrl } from '../follow/database-url.js'
import { checkMysql } from './mysql/check-mysql.js'
import { postgresChecks } from './postgres/postgres-checks.js'
import {
  followsDatabase,
  projectChecks,
  type ProjectSchema,
  setsStatementTimeout,
} from './project/project-checks.js'
import { readSource } from './project/read-source.js'
import { findReplicas } from './project/written-replicas.js'
import { patienceMs, valkeyChecks } from './valkey/valkey-checks.js'

export interface DoctorOptions {
  /** The folder of the project. */
  readonly folder: string
  /** Undefined if no server is named: then it is not checked. */
  readonly valkey: ValkeyAddress | undefined
  /** The URL of the database; undefined if none is named. */
  readonly database: string | undefined
  readonly namespace: string
  /** Folders or files of source. @default the usual ones */
  readonly source: readonly string[] | undefined
  readonly schema: ProjectSchema | undefined
  /** Whether the database is followed. @default what the source says */
  readonly follow: boolean
  readonly slot: string | undefined
  readonly publication: string | undefined
  /** Options of the application, in milliseconds. */
  readonly fenceMs: number
  readonly deadlineMs: number
  /** `consistency.replicas` of the application. @default what the source says */
  readonly replicas: number | undefined
}

export interface AllChecks {
  readonly checks: readonly Check[]
  /** Call it when all checks have ended. */
  close(): Promise<void>
}

/** Puts all checks together. */
export function allChecks(options: DoctorOptions): AllChecks {
  const { database, deadlineMs, fenceMs, folder, namespace, publication, schema, slot, valkey } = options
  const client = schema && resolve(folder, schema.client, '..')
  const { files: source, problems } = readSource(folder, options.source, client)
  const written = findReplicas(source)
  const replicas = options.replicas ?? written.count
  const isFollowed = options.follow || followsDatabase(source)
  const nodes = valkey ? connectNodes(valkey, patienceMs) : Promise.reject(new Error('no server is named'))
  // Each check handles them by itself.
  const listed: Promise<CatalogueListing> = awaitedLater(
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
            setsTimeout: setsStatementTimeout(source),
            listed,
          })),
      ...projectChecks({ folder, source, schema }),
      { id: 'source.typescript', run: () => problems },
      { id: 'source.unknown-replicas', run: () => (options.replicas === undefined ? written.computed : []) },
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
