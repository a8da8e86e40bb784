import type { ConnectionOptions } from 'node:tls'

/** How to reach MariaDB or MySQL. */
export interface MysqlAddress {
  /** A `mysql://` or `mariadb://` URL of the primary, with the database, not of a proxy. */
  readonly url: string
  /** TLS: `{}` for a certificate that Node.js trusts, or `{ ca }`. @default what `sslaccept` or `ssl` of the URL says, otherwise none */
  readonly ssl?: Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'minVersion'>
}

/** The name of the database in a URL. */
export const databaseIn = (url: string): string => decodeURIComponent(new URL(url).pathname.slice(1))
