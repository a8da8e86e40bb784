import { Inject, Injectable } from '@nestjs/common'
import type { BeforeApplicationShutdown, MessageEvent } from '@nestjs/common'
import { register } from 'prom-client'
import type { Registry } from 'prom-client'
import { concatMap, filter, interval, map, merge, scan, share, startWith, Subject, takeUntil } from 'rxjs'
import type { Observable } from 'rxjs'
import { APP_CONFIG } from '../config/app-config.js'
import type { AppConfig } from '../config/app-config.js'
import { LivenessProber } from '../liveness/liveness-prober.js'
import { BurstService } from '../burst/burst.service.js'
import { takeSnapshot } from './metrics-snapshot.js'
import type { MetricsSnapshot } from './metrics-snapshot.js'
import { sampleOf } from './sample.js'
import type { Sample } from './sample.js'

const SAMPLE_EVERY_MS = 500
/** Samples cover the last five seconds. */
const WINDOW = 10

/** The events that the page receives: metric samples, responses of /livez, and the state of bursts. */
@Injectable()
export class LiveFeed implements BeforeApplicationShutdown {
  readonly #closing = new Subject<void>()
  readonly events: Observable<MessageEvent>

  constructor(
    @Inject(APP_CONFIG) { metrics = register }: AppConfig,
    prober: LivenessProber,
    bursts: BurstService,
  ) {
    this.events = merge(
      bursts.state.pipe(map((data) => ({ type: 'burst', data }))),
      prober.probes.pipe(map((data) => ({ type: 'probes', data: [...data] }))),
      samplesOf(metrics).pipe(map((data) => ({ type: 'sample', data }))),
    ).pipe(takeUntil(this.#closing))
  }

  /** Ends the connections, which would otherwise keep the server from closing. */
  beforeApplicationShutdown(): void {
    this.#closing.next()
  }
}

/** Shared by all viewers. Samples are taken only while there is one. */
function samplesOf(registry: Registry): Observable<Sample> {
  return interval(SAMPLE_EVERY_MS).pipe(
    startWith(-1),
    concatMap(() => takeSnapshot(registry)),
    scan((recent: MetricsSnapshot[], snapshot) => [...recent, snapshot].slice(-WINDOW - 1), []),
    filter(({ length }) => length > 1),
    map(sampleOf),
    share(),
  )
}
