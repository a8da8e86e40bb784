import { Inject, Injectable } from '@nestjs/common'
import type { BeforeApplicationShutdown, MessageEvent } from '@nestjs/common'
import { register } from 'prom-client'
import type { Registry } from 'prom-client'
import { concatMap, filter, interval, map, merge, scan, share, startWith, Subject, takeUntil } from 'rxjs'
import type { Observable } from 'rxjs'
import { APP_CONFIG } from '../config/app-config.js'
import type { AppConfig } from '../config/app-config.js'
import { LivenessProber } from '../liveness/liveness-prober.js'
import { StormService } from '../storm/storm.service.js'
import { readRegistry } from './reading.js'
import type { Reading } from './reading.js'
import { sampleOf } from './sample.js'
import type { Sample } from './sample.js'

const SAMPLE_EVERY_MS = 500
/** The shares of reads are those of five seconds. */
const RECENT = 10

/** What the page is told while it is open: samples of the metrics, answers of /livez, the state of storms. */
@Injectable()
export class LiveFeed implements BeforeApplicationShutdown {
  readonly #closing = new Subject<void>()
  readonly events: Observable<MessageEvent>

  constructor(
    @Inject(APP_CONFIG) { metrics = register }: AppConfig,
    prober: LivenessProber,
    storms: StormService,
  ) {
    this.events = merge(
      storms.state.pipe(map((data) => ({ type: 'storm', data }))),
      prober.probes.pipe(map((data) => ({ type: 'probes', data: [...data] }))),
      samplesOf(metrics).pipe(map((data) => ({ type: 'sample', data }))),
    ).pipe(takeUntil(this.#closing))
  }

  /** A connection that never ends would keep the server from closing. */
  beforeApplicationShutdown(): void {
    this.#closing.next()
  }
}

/** Of any number of viewers together, and of none when nobody looks. */
function samplesOf(registry: Registry): Observable<Sample> {
  return interval(SAMPLE_EVERY_MS).pipe(
    startWith(-1),
    concatMap(() => readRegistry(registry)),
    scan((recent: Reading[], reading) => [...recent, reading].slice(-RECENT - 1), []),
    filter(({ length }) => length > 1),
    map(sampleOf),
    share(),
  )
}
