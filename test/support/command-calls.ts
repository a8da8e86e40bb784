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
