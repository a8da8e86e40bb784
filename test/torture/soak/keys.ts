import { ask } from '../servers/ask.ts'

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
