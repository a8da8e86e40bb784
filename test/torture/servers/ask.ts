import { setTimeout as sleep } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import type { Random } from '#prisma/demo/random.js'

/** Runs commands on a server, on a connection of their own. */
export async function ask<T>(
  port: number,
  work: (client: Redis) => Promise<T>,
  options: RedisOptions = {},
): Promise<T> {
  const client = new Redis({ ...options, port, host: '127.0.0.1' })
  client.on('error', () => {})
  return work(client).finally(() => client.disconnect())
}

/** Deletes a key from whichever server has it. */
export async function deleteKey(ports: readonly number[], key: string): Promise<void> {
  // The others redirect.
  await Promise.allSettled(ports.map((port) => ask(port, (client) => client.unlink(key))))
}

export const flush = (port: number): Promise<void> =>
  ask(port, async (client) => void (await client.flushall()))

/** Limits the memory of a server below what it holds, for a while. @returns the number of evicted keys */
export function squeeze(port: number, random: Random): Promise<number> {
  const [bytes, ms] = [random.integer(1_000, 60_000), random.integer(500, 2_000)]
  return ask(port, async (client) => {
    const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))![1])
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await client.config('SET', 'maxmemory', String(used - bytes))
    await sleep(ms)
    await client.config('SET', 'maxmemory', '0')
    const evicted = Number(/evicted_keys:(\d+)/.exec(await client.info('stats'))![1])
    await client.config('RESETSTAT')
    return evicted
  })
}
