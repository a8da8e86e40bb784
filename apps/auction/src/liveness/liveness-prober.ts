import { fork } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { Injectable } from '@nestjs/common'
import type { BeforeApplicationShutdown } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { Observable, share, Subject, takeUntil } from 'rxjs'
import type { Probe } from './probe.js'

/** Beside this file, compiled as this file is. */
const PROBE_PROCESS = join(import.meta.dirname, `probe-process${extname(import.meta.filename)}`)

/** Asks this application's own /livez from another process, as long as somebody wants to know. */
@Injectable()
export class LivenessProber implements BeforeApplicationShutdown {
  readonly #closing = new Subject<void>()

  /** Answers in the order in which they were due, a few at a time. */
  readonly probes: Observable<readonly Probe[]> = new Observable<readonly Probe[]>((subscriber) => {
    const child = fork(PROBE_PROCESS, [this.#livenessUrl()], { execArgv: [] })
    child.on('message', (probes) => subscriber.next(probes as Probe[]))
    child.once('error', (error) => subscriber.error(error))
    child.once('exit', () => subscriber.complete())
    return () => child.kill()
  }).pipe(takeUntil(this.#closing), share())

  constructor(private readonly host: HttpAdapterHost) {}

  /** How long, in milliseconds, the slowest answer took to a probe that was under way while the work was. */
  worstDuring(work: () => Promise<void>): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    let from: number | undefined
    let to = Infinity
    let worst = 0
    const begin = (): void => {
      from = Date.now()
      work().then(() => (to = Date.now()), reject)
    }
    const subscription = this.probes.subscribe({
      next: (probes) => {
        // Not before the probes have begun.
        if (from === undefined) return begin()
        for (const { dueAt, latencyMs } of probes) {
          if (dueAt > to) return resolve(worst)
          if (dueAt + latencyMs >= from) worst = Math.max(worst, latencyMs)
        }
      },
      error: reject,
      complete: () => reject(new Error('The probes of /livez have ended.')),
    })
    return promise.finally(() => subscription.unsubscribe())
  }

  beforeApplicationShutdown(): void {
    this.#closing.next()
  }

  #livenessUrl(): string {
    const { address, family, port } = this.host.httpAdapter.getHttpServer().address() as AddressInfo
    // An address to listen on may be none to ask.
    const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
    return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}/livez`
  }
}
