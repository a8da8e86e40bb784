import { Injectable } from '@nestjs/common'
import type { BeforeApplicationShutdown, MessageEvent } from '@nestjs/common'
import { Inspector } from '@model-cache/inspector'
import {
  concatMap,
  defer,
  filter,
  interval,
  map,
  merge,
  of,
  share,
  startWith,
  Subject,
  takeUntil,
  tap,
} from 'rxjs'
import type { Observable } from 'rxjs'
import { LivenessProber } from '../liveness/liveness-prober.js'
import { BurstService } from '../burst/burst.service.js'
import { LiveHistory } from './live-history.js'
import { sampleOf } from './sample.js'
import type { Sample } from './sample.js'

const SAMPLE_EVERY_MS = 500

/** The events that the page receives: first what was before, then metric samples, responses of /livez, and the state of bursts. */
@Injectable()
export class LiveFeed implements BeforeApplicationShutdown {
  readonly #closing = new Subject<void>()
  readonly #history = new LiveHistory()
  readonly events: Observable<MessageEvent>

  constructor(inspector: Inspector, prober: LivenessProber, bursts: BurstService) {
    bursts.state.pipe(takeUntil(this.#closing)).subscribe((state) => this.#history.addBurst(state))
    const probes = prober.probes.pipe(
      tap((data) => this.#history.addProbes(data)),
      share(),
    )
    this.events = merge(
      defer(() => of({ type: 'history', data: this.#history.read(inspector.ownSamples) })),
      bursts.state.pipe(map((data) => ({ type: 'burst', data }))),
      probes.pipe(map((data) => ({ type: 'probes', data: [...data] }))),
      samplesOf(inspector).pipe(map((data) => ({ type: 'sample', data }))),
    ).pipe(takeUntil(this.#closing))
  }

  /** Ends the connections, which would otherwise keep the server from closing. */
  beforeApplicationShutdown(): void {
    this.#closing.next()
  }
}

/** Shared by all viewers. Samples are taken only while there is one. */
function samplesOf(inspector: Inspector): Observable<Sample> {
  return interval(SAMPLE_EVERY_MS).pipe(
    startWith(-1),
    concatMap(() => inspector.ownProcess()),
    filter((report) => report !== undefined),
    map(sampleOf),
    share(),
  )
}
