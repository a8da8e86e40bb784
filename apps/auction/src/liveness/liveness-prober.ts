import { fork } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { Injectable } from '@nestjs/common'
import type { BeforeApplicationShutdown } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { Observable, share, Subject, takeUntil } from 'rxjs'
import type { Probe } from './probe.js'

/** `.ts` or `.js`, like this file. */
const PROBE_PROCESS = join(import.meta.dirname, `probe-process${extname(import.meta.filename)}`)

/** Probes this application's /livez from another process while there are subscribers. */
@Injectable()
export class LivenessProber implements BeforeApplicationShutdown {
  readonly #closing = new Subject<void>()

  /** Batches of probes, in the order in which they were due. */
  readonly probes: Observable<readonly Probe[]> = new Observable<readonly Probe[]>((subscriber) => {
    const child = fork(PROBE_PROCESS, [this.#livenessUrl()], { execArgv: [] })
    child.on('message', (probes) => subscriber.next(probes as Probe[]))
    child.once('error', (error) => subscriber.error(error))
    child.once('exit', () => subscriber.complete())
    return () => child.kill()
  }).pipe(takeUntil(this.#closing), share())

  constructor(private readonly host: HttpAdapterHost) {}

  /** Runs the work. Returns the latency, in milliseconds, of the slowest probe that overlapped with it. */
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
        // Starts the work once probes arrive.
        if (from === undefined) return begin()
        for (const { dueAt, latencyMs } of probes) {
          if (dueAt > to) return resolve(worst)
          if (dueAt + latencyMs >= from) worst = Math.max(worst, latencyMs)
        }
      },
      error: reject,
      complete: () => reject(new Error('The probe process of /livez exited.')),
    })
    return promise.finally(() => subscription.unsubscribe())
  }

  beforeApplicationShutdown(): void {
    this.#closing.next()
  }

  #livenessUrl(): string {
    const { address, family, port } = this.host.httpAdapter.getHttpServer().address() as AddressInfo
    // Wildcard addresses cannot be connected to on every platform.
    const host = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address
    return `http://${family === 'IPv6' ? `[${host}]` : host}:${port}/livez`
  }
}
