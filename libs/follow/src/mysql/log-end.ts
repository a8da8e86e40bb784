import type { CommitView, LogView } from './commit-views.js'
import { type MysqlConnection, rowsOf } from './connect.js'
import { gtidSetOf, gtidStateOf } from './gtid.js'
import { type LogPlace, positionOf } from './log-position.js'
import { isMariadb, type Variables, versionOf } from './server-variables.js'

/** The end of the log, and which of its transactions readers see. */
export interface LogEnd {
  readonly place: LogPlace
  readonly view: CommitView
}

export type ReadLogEnd = (client: MysqlConnection) => Promise<LogEnd>

const now = 'SELECT 1000 * UNIX_TIMESTAMP(SYSDATE(6)) AS at'

/** The time is read first. */
const logged = `${now}, @@GLOBAL.gtid_binlog_state AS state`

interface Logged {
  readonly at: string
  readonly state: string
}

const viewOf = ({ at, state }: Logged): LogView => {
  const isLogged = gtidStateOf(state)
  return { atMs: Number(at), logs: ({ gtid }) => gtid === undefined || isLogged(gtid) }
}

/** What the log of MariaDB has, without what readers see, which costs it more. */
export async function readMariadbLogged(client: MysqlConnection): Promise<LogView> {
  const [row] = await rowsOf<Logged>(client, logged)
  return viewOf(row!)
}

/** Asks MariaDB by a snapshot of the rows: they have all transactions before a place in the log, and none after it. */
export const readMariadbEnd: ReadLogEnd = async (client) => {
  const [results] = await client.query(
    `${logged}; START TRANSACTION WITH CONSISTENT SNAPSHOT; SHOW STATUS LIKE 'Binlog_snapshot_%'; ROLLBACK`,
  )
  const [[asked], , status] = results as unknown as [
    Logged[],
    unknown,
    { Variable_name: string; Value: string }[],
  ]
  const valueOf = (name: string): string =>
    status.find((one) => one.Variable_name.toLowerCase() === name)?.Value ?? ''
  const place = {
    file: valueOf('binlog_snapshot_file'),
    offset: Number(valueOf('binlog_snapshot_position')),
  }
  const position = positionOf(place)
  return { place, view: { ...viewOf(asked!), has: ({ start }) => start < position } }
}

/** Asks MySQL, which lists a transaction as executed once readers see it. */
export function readMysqlEnd(variables: Variables): ReadLogEnd {
  const show = showLogStatus(variables)
  return async (client) => {
    const [results] = await client.query(`${now}; ${show}`)
    const [[asked], [status]] = results as unknown as [
      { at: string }[],
      { File: string; Position: number | string; Executed_Gtid_Set: string }[],
    ]
    const isExecuted = gtidSetOf(status!.Executed_Gtid_Set)
    const has: CommitView['has'] = ({ gtid }) => gtid === undefined || isExecuted(gtid)
    return {
      place: { file: status!.File, offset: Number(status!.Position) },
      view: { atMs: Number(asked!.at), has, logs: has },
    }
  }
}

/** Statements have other names from MySQL 8.2 on. */
export const showLogStatus = (variables: Variables): string =>
  hasNewNames(variables) ? 'SHOW BINARY LOG STATUS' : 'SHOW MASTER STATUS'

export const showReplicaStatus = (variables: Variables): string =>
  hasNewNames(variables) ? 'SHOW REPLICA STATUS' : 'SHOW SLAVE STATUS'

function hasNewNames(variables: Variables): boolean {
  const [major, minor] = versionOf(variables)
  return !isMariadb(variables) && (major > 8 || (major === 8 && minor >= 2))
}

/** Returns the transactions that MySQL is committing: they are in the log, and readers may not see them. */
export async function readOwned(client: MysqlConnection): Promise<readonly string[]> {
  const [row] = await rowsOf<{ owned: string }>(client, 'SELECT @@GLOBAL.gtid_owned AS owned')
  // `uuid:number#thread:number#thread…uuid:tag:number#thread`, without anything between thread and uuid.
  const parts = row!.owned.matchAll(/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|:([a-z_]\w*)|:(\d+)#/g)
  const owned: string[] = []
  let source = ''
  for (const [, uuid, tag, number] of parts) {
    if (uuid) source = uuid
    else if (tag) source += `:${tag}`
    else owned.push(`${source}:${number}`)
  }
  return owned
}
