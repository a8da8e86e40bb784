import { Controller, Get, Inject, ServiceUnavailableException } from '@nestjs/common'
import { MODEL_CACHE_STORE } from 'model-cache'
import type { Store } from 'model-cache'
import { FollowHealthIndicator } from 'model-cache/terminus'
import type { Database } from '#prisma/database.js'
import { DATABASE } from '../database/database.module.js'
import { Draining } from '../shutdown/draining.js'

/** A dependency that does not answer in this time counts as unreachable. */
const DEADLINE_MS = 1000

/** Liveness and readiness probes for Kubernetes and Docker. */
@Controller()
export class HealthController {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(MODEL_CACHE_STORE) private readonly store: Store,
    private readonly follow: FollowHealthIndicator,
    private readonly draining: Draining,
  ) {}

  /** Checks no dependencies: a restart of this process would not repair a database. */
  @Get('livez')
  livez(): string {
    return 'ok'
  }

  /**
   * Answers 503 while the database is unreachable. An unreachable cache is reported, but the pod stays ready: rows come
   * from the database, and removing all pods would turn slow responses into an outage. The same is true while nobody follows
   * the database.
   */
  @Get('readyz')
  async readyz(): Promise<Record<string, unknown>> {
    if (this.draining.hasBegun) throw new ServiceUnavailableException({ shutdown: 'under way' })
    const [database, cache] = await Promise.all([
      check(() => this.database.ping()),
      check(() => this.store.ping()),
    ])
    const dependencies = { database, cache, ...this.follow.isHealthy('follow') }
    if (database !== 'ok') throw new ServiceUnavailableException(dependencies)
    return dependencies
  }
}

async function check(ping: () => Promise<void>): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${DEADLINE_MS} ms`)), DEADLINE_MS)
  })
  try {
    await Promise.race([ping(), deadline])
    return 'ok'
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string }
    return `unreachable: ${message || code}`
  } finally {
    clearTimeout(timer)
  }
}
