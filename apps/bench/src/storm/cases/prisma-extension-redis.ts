import { PrismaPg } from '@prisma/adapter-pg'
import { Redis } from 'ioredis'
import { PrismaExtensionRedis } from 'prisma-extension-redis'
import { PrismaClient } from '#prisma/client/client.js'
import { reviveFields } from './revive-fields.ts'
import { TTL_MS, type OpenCase, type StormEnvironment } from './storm-case.ts'

/** On a real client, whose queries are answered by the source before they become SQL: nothing is ever connected. */
export async function openPrismaExtensionRedis({ url, source }: StormEnvironment): Promise<OpenCase> {
  const adapter = new PrismaPg({ connectionString: 'postgresql://127.0.0.1:1/nowhere' })
  const prisma = new PrismaClient({ adapter })
    .$extends(
      PrismaExtensionRedis({
        client: new Redis(url, { enableAutoPipelining: true }),
        config: {
          type: 'STRING',
          ttl: TTL_MS / 1000,
          stale: 0,
          auto: true,
          transformer: {
            serialize: (context) => JSON.stringify(context),
            deserialize(text) {
              const context = JSON.parse(text as string) as { result: unknown }
              reviveFields(context.result)
              return context
            },
          },
        },
      }),
    )
    .$extends({
      query: { auctionItem: { findUnique: ({ args }) => source.loadOne(args.where.id!) as never } },
    })
  return { get: (id) => prisma.auctionItem.findUnique({ where: { id } }) as Promise<unknown> }
}
