/** What Prisma's tests get for a client: Prisma's own, one whose reads caches answer, or one that compares these with its own. */
import { appendFileSync } from 'node:fs'
import { ComparedReads } from './compared-reads.ts'
import { openCaches } from './caches.ts'

export const modes = ['plain', 'extended', 'compared'] as const
export type Mode = (typeof modes)[number]

/** A client that was generated. */
export interface PrismaModule {
  readonly PrismaClient: new (options: object) => Client
  readonly Prisma: object
}

export type Client = object & { $disconnect(): Promise<void> }

interface RequestingClient {
  _request(this: object, params: { readonly model?: string }): Promise<unknown>
}

/** The clients of one suite, which read and write one database. */
export interface ModeClients {
  create(options: { readonly adapter?: object }): object
  /** Before a test. */
  begin(): void
  /** After a test: how reads of the caches have differed from those of the database, for people. */
  end(): Promise<readonly string[]>
  close(): Promise<void>
}

/** @param adapter of the database; clients with another adapter get no caches */
export function clientsIn(mode: Mode, { PrismaClient }: PrismaModule): ModeClients {
  const opened: Client[] = []
  const open = (options: object): Client => {
    const client = new PrismaClient(options)
    opened.push(client)
    return client
  }
  const caches = mode === 'plain' ? undefined : openCaches()
  const compared = mode === 'compared' ? new ComparedReads(() => caches!.clear()) : undefined
  return {
    create(options) {
      const client = open(options)
      if (!caches || !options.adapter) return client
      const extended = caches.extend(client, () => open({ adapter: options.adapter })) as Client &
        RequestingClient
      const { _request: request } = extended
      // What a user of raw SQL has to do.
      const requestAndClear: typeof request = async function (this: object, params) {
        const result = await request.call(this, params)
        if (params.model === undefined) await caches.clear()
        return result
      }
      Object.assign(extended, { _request: requestAndClear })
      compared?.compare(extended, open(options))
      return extended
    },
    begin: () => compared?.begin(),
    end: async () => compared?.differences ?? [],
    async close() {
      await caches?.close()
      // Tests of lost connections leave clients that cannot disconnect.
      for (const client of opened) await client.$disconnect().catch(() => {})
      const counted = { ...caches?.outcomes, ...compared?.counted }
      appendFileSync(process.env.PRISMA_TESTS_COUNTS!, `${JSON.stringify(counted)}\n`)
    },
  }
}
