import { invalidOptionError } from 'model-cache/internal'
import { isMysqlUrl } from '../database-url.js'
import { createFollow, type Follow, type GapOptions } from '../follow-options.js'
import { databaseIn, type MysqlAddress } from './mysql-address.js'
import { MysqlLog } from './mysql-log.js'

export interface FollowMysqlOptions extends MysqlAddress, GapOptions {}

/**
 * Follows the binlog of a MariaDB or MySQL database: rows that anybody has written, also outside Prisma, are invalidated as soon as the server
 * sends the change. Needs the package `mysql2`, `binlog_format = ROW`, `binlog_row_metadata = FULL`, on MySQL `gtid_mode = ON`, and a user with
 * REPLICATION SLAVE; see docs/follow-mysql.md.
 *
 * @throws ConfigurationError
 */
export function followMysql({ maxLagMs, onGap, ...address }: FollowMysqlOptions): Follow {
  if (!isMysqlUrl(String(address.url)) || !URL.canParse(address.url) || !databaseIn(address.url))
    throw invalidOptionError(
      'follow.url',
      '…',
      'a mysql:// URL of the primary, with the name of the database',
    )
  return createFollow({ maxLagMs, onGap }, () => new MysqlLog(address))
}
