import { invalidOptionError } from '../configuration-errors.js'
import type { HintSource } from './stored-hints.js'

/** The option `warm` of `ModelCacheModule.forRoot`. */
export interface WarmOptions {
  /**
   * Where the ids of rows that are worth loading come from. One process of a deployment asks it once it has started; the start does not
   * wait for it, nor fail without it. @default the ids that `npx model-cache warm` sends
   */
  readonly from?: WarmSource
  /** How many ids are taken from there, those first that are read most. @default 10_000 */
  readonly rows?: number
  /** How many ids this process reads in a second at most, also for `npx model-cache warm`: a hundred of them are one query. @default 200 */
  readonly perSecond?: number
}

/** The Valkey of another region, or another namespace. Nothing is written there, and no row is read. */
export interface WarmSource {
  /** The URL of the server, or of any node of its cluster; with Sentinels, of the user and database of the primary. */
  readonly url: string
  /** `host:port` of each Sentinel that knows the server. @default none */
  readonly sentinels?: readonly string[]
  /** The name of the server, as the Sentinels know it. @default none */
  readonly primaryName?: string
  /** The namespace there. @default that of this root */
  readonly namespace?: string
}

export interface WarmSettings {
  readonly from: HintSource | undefined
  readonly rows: number
  readonly perSecond: number
}

export const maxWarmedRows = 1_000_000
export const maxWarmedPerSecond = 100_000
export const defaultWarmedRows = 10_000
export const defaultWarmedPerSecond = 200

/**
 * @param own the namespace that is warmed up, and the URL of its server if that is known
 * @throws ConfigurationError
 */
export function warmSettings(
  { from, perSecond = defaultWarmedPerSecond, rows = defaultWarmedRows }: WarmOptions,
  own: { readonly namespace: string; readonly url: string | undefined },
): WarmSettings {
  verifyCount('rows', rows, maxWarmedRows)
  verifyCount('perSecond', perSecond, maxWarmedPerSecond)
  if (!from) return { from, rows, perSecond }
  const { namespace = own.namespace, ...address } = from
  if (!/^(valkey|redis)s?:\/\//.test(address.url))
    throw invalidOptionError(
      'warm.from.url',
      address.url && Symbol('not shown, as it may hold a password'),
      "a URL such as 'valkey://user:password@host:6379/0'; its environment variable may not be set",
    )
  if (address.sentinels && !address.primaryName)
    throw invalidOptionError(
      'warm.from.primaryName',
      address.primaryName,
      'the name under which the Sentinels know the server',
    )
  if (namespace === own.namespace && address.url === own.url)
    throw invalidOptionError(
      'warm.from.namespace',
      namespace,
      'another namespace than that of this root, or another server',
    )
  return { from: { address, namespace }, rows, perSecond }
}

function verifyCount(option: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return
  throw invalidOptionError(`warm.${option}`, value, `an integer from 1 to ${most.toLocaleString('en')}`)
}
