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
import { createModelCacheDesign } from './designs/model-cache-design.js'
import { createPerKeyDesign } from './designs/per-key-design.js'
import type { DesignName, StormDesign } from './designs/storm-design.js'
import { v1 } from './designs/v1.js'
import { v2 } from './designs/v2.js'
import { runWaves } from './run-waves.js'
import { STORM } from './storm-request.js'
import type { StormRequest } from './storm-request.js'
import type { StormResult, StormState } from './storm-state.js'
import { StormTexts } from './storm-texts.js'

/** Runs storms in this process, one at a time. */
@Injectable()
export class StormService {
  readonly state: BehaviorSubject<StormState>
  readonly #designs: Record<DesignName, StormDesign>
  readonly #logger = new Logger(StormService.name)

  constructor(
    @Inject(APP_CONFIG) { storms }: AppConfig,
    @InjectModelCache(auctionItemCache) items: CacheOf<typeof auctionItemCache>,
    texts: StormTexts,
    private readonly prisma: PrismaService,
    private readonly prober: LivenessProber,
  ) {
    this.state = new BehaviorSubject<StormState>({
      at: Date.now(),
      allowed: storms,
      size: STORM,
      running: null,
      last: {},
    })
    this.#designs = {
      v1: createPerKeyDesign('v1', texts, v1),
      v2: createPerKeyDesign('v2', texts, v2),
      'model-cache': createModelCacheDesign(items),
    }
  }

  /** @throws ForbiddenException when storms are switched off, ConflictException for one too many or too large, ServiceUnavailableException when it fails */
  async run(request: StormRequest): Promise<StormResult> {
    this.#admit(request)
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
        : new ServiceUnavailableException(`The storm of ${design} failed: ${String(error)}`)
    } finally {
      this.#change({ running: null })
    }
  }

  #admit({ users, waves }: StormRequest): void {
    const { allowed, running } = this.state.value
    if (!allowed)
      throw new ForbiddenException('Storms are switched off here. Start the demo without STORMS=off.')
    if (users > STORM.users || waves > STORM.waves) {
      throw new ConflictException(
        `A storm may have ${STORM.users} users and ${STORM.waves} waves at most, not ${users} and ${waves}.`,
      )
    }
    if (running) {
      throw new ConflictException(`A storm of ${running} is under way. Wait until it is over: a few seconds.`)
    }
  }

  async #measure(design: StormDesign, users: number, waves: number): Promise<StormResult> {
    const lots = await this.prisma.auctionItem.findMany({ orderBy: { id: 'asc' }, take: STORM.lots })
    if (lots.length === 0) throw new ConflictException('There are no lots to read. Add some: npm run seed.')
    await design.fill(lots)
    const ids = lots.map(({ id }) => id)
    let measured = { longestBlockMs: 0, cpuMs: 0 }
    const worstProbeMs = await this.prober.worstDuring(async () => {
      measured = await runWaves(design, ids, { users, waves })
    })
    return { design: design.name, users, lots: ids.length, waves, worstProbeMs, ...measured }
  }

  #change(change: Partial<StormState>): void {
    this.state.next({ ...this.state.value, ...change, at: Date.now() })
  }
}

function describe({ design, longestBlockMs, worstProbeMs, cpuMs }: StormResult): string {
  const [block, probe, cpu] = [longestBlockMs, worstProbeMs, cpuMs].map((value) => value.toFixed(1))
  return `Storm of ${design}: longest block ${block} ms, worst answer of /livez ${probe} ms, ${cpu} ms of CPU a wave`
}
