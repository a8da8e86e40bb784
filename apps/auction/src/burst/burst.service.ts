import {
  ConflictException,
  ForbiddenException,
  HttpException,
  Inject,
  Injectable,
  Logger,
  ServiceUnavailableException,
} from '@nestjs/common'
import { InjectModelCache } from 'model-cache'
import type { CacheOf } from 'model-cache'
import { BehaviorSubject } from 'rxjs'
import { auctionItemCache } from '../auction-item/auction-item.cache.js'
import { APP_CONFIG } from '../config/app-config.js'
import type { AppConfig } from '../config/app-config.js'
import { PrismaService } from '../infrastructure/database/prisma.service.js'
import { LivenessProber } from '../liveness/liveness-prober.js'
import { FULL_BURST } from './burst-request.js'
import type { BurstRequest } from './burst-request.js'
import type { BurstResult, BurstState } from './burst-state.js'
import type { BurstDesign, DesignName } from './designs/burst-design.js'
import { createModelCacheDesign } from './designs/model-cache-design.js'
import { createPerKeyDesign } from './designs/per-key-design.js'
import { v1 } from './designs/v1.js'
import { v2 } from './designs/v2.js'
import { PayloadStore } from './payload-store.js'
import { runWaves } from './run-waves.js'

/** Runs bursts in this process, one at a time. */
@Injectable()
export class BurstService {
  readonly state: BehaviorSubject<BurstState>
  readonly #designs: Record<DesignName, BurstDesign>
  readonly #logger = new Logger(BurstService.name)

  constructor(
    @Inject(APP_CONFIG) { bursts }: AppConfig,
    @InjectModelCache(auctionItemCache) items: CacheOf<typeof auctionItemCache>,
    store: PayloadStore,
    private readonly prisma: PrismaService,
    private readonly prober: LivenessProber,
  ) {
    this.state = new BehaviorSubject<BurstState>({
      at: Date.now(),
      allowed: bursts,
      running: null,
      last: {},
    })
    this.#designs = {
      v1: createPerKeyDesign('v1', store, v1),
      v2: createPerKeyDesign('v2', store, v2),
      'model-cache': createModelCacheDesign(items),
    }
  }

  /**
   * @throws ForbiddenException if bursts are disabled
   * @throws ConflictException if a burst is running, the request is too large, or there are no lots
   * @throws ServiceUnavailableException if the burst fails
   */
  async run(request: BurstRequest): Promise<BurstResult> {
    this.#assertAllowed(request)
    const { design, users, waves } = request
    this.#change({ running: design })
    try {
      const result = await this.#measure(this.#designs[design], users, waves)
      this.#change({ last: { ...this.state.value.last, [design]: result } })
      this.#logger.log(describe(result))
      return result
    } catch (error) {
      throw error instanceof HttpException
        ? error
        : new ServiceUnavailableException(`The ${design} burst failed: ${String(error)}`)
    } finally {
      this.#change({ running: null })
    }
  }

  #assertAllowed({ users, waves }: BurstRequest): void {
    const { allowed, running } = this.state.value
    if (!allowed) throw new ForbiddenException('Bursts are disabled. Start the demo without BURSTS=off.')
    if (users > FULL_BURST.users || waves > FULL_BURST.waves) {
      throw new ConflictException(
        `A burst may have at most ${FULL_BURST.users} users and ${FULL_BURST.waves} waves, not ${users} and ${waves}.`,
      )
    }
    if (running) {
      throw new ConflictException(`The ${running} burst is still running. Try again in a few seconds.`)
    }
  }

  async #measure(design: BurstDesign, users: number, waves: number): Promise<BurstResult> {
    const lots = await this.prisma.auctionItem.findMany({ orderBy: { id: 'asc' }, take: FULL_BURST.lots })
    if (lots.length === 0) throw new ConflictException('There are no lots to read. Run npm run seed.')
    await design.fill(lots)
    const ids = lots.map(({ id }) => id)
    let measured = { longestBlockMs: 0, cpuMs: 0 }
    const worstProbeMs = await this.prober.worstDuring(async () => {
      measured = await runWaves(design, ids, { users, waves })
    })
    return { design: design.name, users, lots: ids.length, waves, worstProbeMs, ...measured }
  }

  #change(change: Partial<BurstState>): void {
    this.state.next({ ...this.state.value, ...change, at: Date.now() })
  }
}

function describe({ design, longestBlockMs, worstProbeMs, cpuMs }: BurstResult): string {
  const [block, probe, cpu] = [longestBlockMs, worstProbeMs, cpuMs].map((value) => value.toFixed(1))
  return `${design} burst: longest block ${block} ms, slowest /livez ${probe} ms, ${cpu} ms of CPU per wave`
}
