import { ask } from '../servers/ask.ts'

/** Keys that do not expire: a register of each model, and the lists of caches and of databases with the epoch and the witness of each. */
export const LASTING_KEYS = 8

/** Keys that are left when all others have expired: these, and the bookmark of the follower, which is kept for a month. */
export const LEFT_KEYS = LASTING_KEYS + 1

/** Keys of one database of a server. */
export interface Keys {
  readonly keys: number
  /** Those without an expiry. */
  readonly lasting: number
}

/** Numbers of keys, of which some may have expired a moment ago. */
export async function keysOf(port: number, database: number): Promise<Keys> {
  const info = await ask(port, (client) => client.info('keyspace'))
  const [, keys = 0, expires = 0] =
    new RegExp(`^db${database}:keys=(\\d+),expires=(\\d+)`, 'm').exec(info) ?? []
  return { keys: Number(keys), lasting: Number(keys) - Number(expires) }
}

/** The names of all keys. */
export const namesOf = (port: number, database: number): Promise<string[]> =>
  ask(port, (client) => client.keys('*'), { db: database })
