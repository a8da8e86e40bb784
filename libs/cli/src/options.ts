import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ParseArgsOptionsConfig } from 'node:util'
import { AtRest, type AtRestKey, maxReplicas, type ValkeyAddress } from 'model-cache/internal'
import { type Output, UsageError } from './command.js'

/** The options of all commands that need the store. */
export const storeOptions = {
  valkey: { type: 'string' },
  sentinels: { type: 'string' },
  primary: { type: 'string' },
  namespace: { type: 'string', default: 'mc' },
  json: { type: 'boolean', default: false },
} satisfies ParseArgsOptionsConfig

export const storeUsage = `  --valkey     the URL of the server, or of any node of a cluster; by default VALKEY_URL
  --sentinels  host:port,host:port: Sentinels that know the server; the URL then gives user, password and database
  --primary    the name of the server, as the Sentinels know it
  --namespace  that of the caches; by default mc. Of a named root: <namespace>:<root>
  --json       prints JSON`

interface StoreValues {
  readonly valkey?: string | undefined
  readonly sentinels?: string | undefined
  readonly primary?: string | undefined
}

/** The option of commands that make keys of the store, or open values. */
export const keysOption = { keys: { type: 'string' } } satisfies ParseArgsOptionsConfig

export const keysUsage = `  --keys       a file with the keys of forRoot's \`atRest\`, as JSON: [{ "id": "2026-11", "key": "<base64>" }]; by default
               the one that MODEL_CACHE_KEYS names. Only caches that are encrypted need it`

/** The keys that a command was given; undefined for none. @throws UsageError, ConfigurationError, neither of which shows a key */
export function atRestIn(
  { keys }: { readonly keys?: string | undefined },
  { environment, folder }: Output,
): AtRest | undefined {
  const file = keys ?? environment.MODEL_CACHE_KEYS
  if (file === undefined || file === '') return undefined
  let text: string
  try {
    text = readFileSync(resolve(folder, file), 'utf8')
  } catch (error) {
    throw new UsageError(
      `The file of keys cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`,
    )
  }
  return AtRest.of({ keys: keysIn(text) })
}

function keysIn(text: string): readonly AtRestKey[] {
  try {
    return JSON.parse(text) as readonly AtRestKey[]
  } catch {
    // The error of the parser would show what it has read.
    throw new UsageError('The file of keys is no JSON; expected [{ "id": "2026-11", "key": "<base64>" }].')
  }
}

/** How long a command waits for each answer of the store, in milliseconds. */
export const answerMs = 5_000

/** Where the store is; undefined if neither an option nor the environment says so. @throws UsageError */
export function addressIn(
  { primary, sentinels, valkey }: StoreValues,
  { environment }: Output,
): ValkeyAddress | undefined {
  if (primary !== undefined && sentinels === undefined)
    throw new UsageError(
      '--primary needs --sentinels, host:port,host:port, which know the server under this name.',
    )
  const url = valkey ?? (environment.VALKEY_URL || (sentinels && 'valkey://sentinels'))
  if (url === undefined || url === '') return undefined
  if (sentinels === undefined) return { url }
  if (primary === undefined)
    throw new UsageError('--sentinels needs --primary, the name under which they know the server.')
  return { url, sentinels: sentinels.split(',').map((name) => name.trim()), primaryName: primary }
}

/** @throws UsageError */
export function neededAddress(values: StoreValues, output: Output): ValkeyAddress {
  const address = addressIn(values, output)
  if (address) return address
  throw new UsageError('Name the server with --valkey valkey://host:6379, or set VALKEY_URL.')
}

/** @throws UsageError */
export function millisecondsIn(name: string, text: string): number {
  const ms = Number(text)
  if (text.trim() !== '' && ms >= 0 && ms <= 3_600_000) return ms
  throw new UsageError(`--${name} is ${JSON.stringify(text)}; expected milliseconds, from 0 to 3600000.`)
}

/** @throws UsageError */
export function integerIn(name: string, text: string, least: number, most: number): number {
  const integer = Number(text)
  if (/^\d+$/.test(text) && integer >= least && integer <= most) return integer
  throw new UsageError(`--${name} is ${JSON.stringify(text)}; expected an integer from ${least} to ${most}.`)
}

/** @throws UsageError */
export function replicasIn(text: string): number {
  return integerIn('replicas', text, 0, maxReplicas)
}
