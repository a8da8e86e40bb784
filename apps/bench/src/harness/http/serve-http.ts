import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PerformanceObserver, performance } from 'node:perf_hooks'
import { serveParent } from '../process.ts'
import { cpuTime } from '../processor.ts'
import { watchLoop } from '../watch-loop.ts'

/** Watches this process until the returned function is called. */
function watchProcess() {
  let longestGcMs = 0
  const note = (collections: readonly { duration: number }[]): void => {
    for (const { duration } of collections) longestGcMs = Math.max(longestGcMs, duration)
  }
  const collections = new PerformanceObserver((list) => note(list.getEntries()))
  collections.observe({ entryTypes: ['gc'] })
  const stopLoop = watchLoop()
  const loopBefore = performance.eventLoopUtilization()
  const cpuBefore = cpuTime()
  return () => {
    const cpuMs = cpuTime() - cpuBefore
    const { utilization } = performance.eventLoopUtilization(loopBefore)
    const { maxMs } = stopLoop()
    note(collections.takeRecords())
    collections.disconnect()
    return {
      /** Processor time, including helper threads. */
      cpuMs,
      /** Longest block of the event loop. */
      loopMaxMs: maxMs,
      /** Idle part of the event loop, from 0 to 1. */
      loopIdle: 1 - utilization,
      /** 0 without any garbage collection. */
      longestGcMs,
    }
  }
}
export type Watched = ReturnType<ReturnType<typeof watchProcess>>

/** In a started process: serves on a free port of 127.0.0.1. @returns the URL */
export async function listen(answer: (path: string) => Promise<string> | string): Promise<string> {
  const server = createServer(async (request, response) => {
    try {
      const body = await answer(request.url!)
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      response.end(body)
    } catch (error) {
      response.writeHead(500)
      response.end(String(error))
    }
  }).listen(0, '127.0.0.1')
  // A connection must not be closed while the next request is on its way.
  server.keepAliveTimeout = 0
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Methods with which the parent watches a started process. */
export function watchMethods() {
  let stop: () => Watched
  return {
    watch: (): void => void (stop = watchProcess()),
    stopWatching: (): Watched => stop(),
  }
}
export type WatchMethods = ReturnType<typeof watchMethods>

/** In a started process: serves JSON by path, and lets the parent watch the process. */
export const serveHttp = async (answer: (path: string) => Promise<string> | string): Promise<WatchMethods> =>
  serveParent(watchMethods(), await listen(answer))
