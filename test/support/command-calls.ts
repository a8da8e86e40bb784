import type { Redis } from 'ioredis'

/** How often a server has run a command; its name may be part of a regular expression. */
export async function commandCalls(client: Redis, command: string): Promise<number> {
  const stats = await client.info('commandstats')
  return Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0)
}

/** How often it has run a command meanwhile. */
export async function commandCallsDuring(
  client: Redis,
  command: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await commandCalls(client, command)
  await work()
  return (await commandCalls(client, command)) - before
}

/** Every process checks its server from time to time, by a script of these commands. */
const ofChecks = new Set(['eval', 'evalsha', 'time', 'info', 'type', 'hget', 'hset', 'get'])

/** The commands that a server runs meanwhile, and how often, without those of checks and of this. */
export async function commandsDuring(
  client: Redis,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> {
  await client.config('RESETSTAT')
  await work()
  const stats = await client.info('commandstats')
  const calls = Array.from(
    stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm),
    ([, name, count]) => [name!, Number(count)] as const,
  )
  return Object.fromEntries(calls.filter(([name]) => !name.startsWith('config') && !ofChecks.has(name)))
}
