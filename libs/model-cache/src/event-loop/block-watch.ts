import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isMainThread, Worker } from 'node:worker_threads'
import { InvalidOptionError } from '../errors.js'
import { type WatchedLoop, workerCode } from './block-watch-worker.js'
import type { LagSampler } from './lag-sampler.js'

export interface BlockWatchOptions {
  /**
   * Blocks of the event loop that take at least so many milliseconds are attributed to who caused them, by a thread that
   * is started with the first handler. 0 for not at all. Of blocks shorter than four times `resolutionMs` some have no name.
   * @default 100
   */
  readonly nameBlocksFromMs?: number
}

/** A time in which one holder alone kept the event loop from everything else. */
export interface Block {
  /** The handler or method, the caches (`model-cache`), or `none` for what belongs to none of them. */
  readonly holder: string
  readonly seconds: number
  /** The innermost function outside of Node that was found running: `name (file:line:column)`. */
  readonly at: string
}

/** What a holder has of a block that is going on. */
interface Found {
  ms: number
  /**
   * Its text is made when the block is over: who makes texts of stacks with source maps parses URLs, and Node parses them with
   * state of its own, in whose midst it may have been interrupted.
   */
  readonly stack: Error
}

/** Who holds the event loop when none of those who are watched does. */
export const noHolder = 'none'

/**
 * Names who blocks the event loop.
 *
 * A blocked loop cannot look at itself, so another thread does. It watches a number that each sample of the lag moves on. When it
 * stands still for too long, the thread has V8 interrupt whatever is running and call, in its midst, a function that
 * notes the handler of the running asynchronous context, and its stack. Until then this costs a handler one context, and nothing
 * measures its promises. Native code, such as `JSON.parse`, is interrupted at its end.
 *
 * What runs outside of handlers, such as field resolvers of GraphQL, is found on the stack: by the innermost method of a class that the
 * watch has been told of.
 */
export class BlockWatch {
  readonly #sampler: LagSampler
  readonly #blockMs: number
  readonly #context = new AsyncLocalStorage<string>()
  readonly #inner: { readonly holder: string; readonly isRunning: () => boolean }[] = []
  readonly #classes = new Map<string, object>()
  readonly #listeners = new Set<(block: Block) => void>()
  /** Through which the other thread calls this one. */
  readonly #channel = `model-cache:block:${randomUUID()}`
  readonly #beat = new Int32Array(new SharedArrayBuffer(4))
  /** By holder, of the block that is going on. */
  #found = new Map<string, Found>()
  #last: Found | undefined
  #knownUntilMs = performance.now()
  #sampledAtMs = performance.now()
  #worker: Worker | undefined
  #isWanted: boolean
  #endSamples = (): void => {}

  /** @throws InvalidOptionError */
  constructor(sampler: LagSampler, { nameBlocksFromMs = 100 }: BlockWatchOptions = {}) {
    if (nameBlocksFromMs !== 0 && !(nameBlocksFromMs >= 20 && nameBlocksFromMs <= 60_000)) {
      throw new InvalidOptionError(
        'nameBlocksFromMs',
        nameBlocksFromMs,
        'milliseconds from 20 to 60000, or 0',
      )
    }
    this.#sampler = sampler
    this.#blockMs = nameBlocksFromMs
    // The thread can interrupt the main thread only, and only where there is an inspector.
    this.#isWanted = nameBlocksFromMs > 0 && isMainThread && process.features.inspector
  }

  /** Calls a function; it, and all that follows from it asynchronously, is done in the name of the holder. */
  run<T>(holder: string, call: () => T): T {
    return this.#context.run(holder, call)
  }

  /** Work that is done in the midst of others' work, and is not theirs. */
  addInner(holder: string, isRunning: () => boolean): void {
    this.#inner.push({ holder, isRunning })
  }

  /** A class whose methods are named, as `Class.method`, where they run in the name of no holder. */
  addClass({ name, prototype }: { readonly name: string; readonly prototype: object }): void {
    this.#classes.set(name, prototype)
  }

  /** Tells each block when it is over. */
  onBlock(listener: (block: Block) => void): void {
    this.#listeners.add(listener)
  }

  /** Begins to watch; a second call does nothing, nor does one after the end. */
  start(): void {
    if (!this.#isWanted) return
    this.#isWanted = false
    const ends = [this.#sampler.onSample(this.#sampled), this.#sampler.onStop(this.#stopped)]
    this.#endSamples = () => ends.forEach((end) => end())
    subscribe(this.#channel, this.#note)
    // Two looks that find no sample between them, within one block; while nothing is blocked, each finds one.
    const lookEveryMs = Math.max(0.4 * this.#blockMs, 1.5 * this.#sampler.resolutionMs)
    this.#worker = startWorker({ beat: this.#beat, channel: this.#channel, lookEveryMs })
  }

  /** For good. Resolves when the thread has ended. */
  async stop(): Promise<void> {
    this.#isWanted = false
    this.#endSamples()
    unsubscribe(this.#channel, this.#note)
    await this.#worker?.terminate()
  }

  /** Called by the other thread, in the midst of what blocks: what it throws would end the process. */
  readonly #note = (): void => {
    try {
      this.#noteHolder()
    } catch {
      // A block that is not named is measured all the same.
    }
  }

  #noteHolder(): void {
    const nowMs = performance.now()
    const inner = this.#inner.find(({ isRunning }) => isRunning())
    const holder = inner?.holder ?? this.#context.getStore() ?? methodOnStack(this.#classes) ?? noHolder
    this.#last = this.#found.get(holder) ?? { ms: 0, stack: new Error('the stack') }
    this.#found.set(holder, this.#last)
    // What has been running since the last look is taken to be the same all the while.
    this.#last.ms += nowMs - this.#knownUntilMs
    this.#knownUntilMs = nowMs
  }

  readonly #sampled = (_lagSeconds: number, nowMs: number): void => {
    if (Atomics.add(this.#beat, 0, 1) === 0) Atomics.notify(this.#beat, 0)
    if (this.#last) {
      this.#last.ms += nowMs - this.#knownUntilMs
      if (nowMs - this.#sampledAtMs >= this.#blockMs) this.#tell()
      this.#found = new Map()
      this.#last = undefined
    }
    this.#knownUntilMs = this.#sampledAtMs = nowMs
  }

  /** Who takes no samples cannot be told from who is blocked. */
  readonly #stopped = (): void => {
    Atomics.store(this.#beat, 0, 0)
  }

  #tell(): void {
    for (const [holder, { ms, stack }] of this.#found) {
      // A look that came too late finds who runs next: a share as small as that blames nobody.
      if (ms < this.#blockMs / 2) continue
      const block = { holder, seconds: ms / 1_000, at: placeIn(stack) }
      for (const listener of this.#listeners) listener(block)
    }
  }
}

function startWorker(workerData: WatchedLoop): Worker | undefined {
  try {
    const worker = new Worker(workerCode, { eval: true, workerData, execArgv: [] })
    worker.unref()
    // Without it blocks are measured and not named; nothing else depends on it.
    worker.on('error', () => {})
    return worker
  } catch {
    return undefined
  }
}

/** Frames that are looked at; Node itself keeps ten. */
const depth = 64

/** The innermost frame below the interruption that is not Node's own: `name (file:line:column)`. */
function placeIn(stack: Error): string {
  const lines = stack.stack!.split('\n')
  // What the other thread has V8 evaluate has no file.
  const interruption = lines.findIndex((line) => line.includes('<anonymous>:1:'))
  const own = lines.slice(interruption + 1).find((line) => !line.includes('node:'))
  return own?.trim().replace(/^at (async )?/, '') ?? 'a place in Node itself'
}

/** The innermost method of one of the classes. Asked of V8 itself, as source maps give functions other names. */
function methodOnStack(classes: ReadonlyMap<string, object>): string | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error
  Error.stackTraceLimit = depth
  Error.prepareStackTrace = (_, sites) => sites
  const sites = new Error('the stack').stack as unknown as NodeJS.CallSite[] | string
  Error.prepareStackTrace = prepareStackTrace
  Error.stackTraceLimit = stackTraceLimit
  // Who keeps others from preparing stack traces gets them as text.
  if (!Array.isArray(sites)) return undefined
  for (const site of sites) {
    const [name, method] = [site.getTypeName(), site.getFunctionName()]
    const prototype = name && classes.get(name)
    // V8 says of functions that a method calls that they are methods as well.
    if (prototype && method && method in prototype) return `${name}.${method}`
  }
  return undefined
}
