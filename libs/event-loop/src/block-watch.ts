import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { isPromise } from 'node:util/types'
import { isMainThread, Worker } from 'node:worker_threads'
import { invalidOptionError } from './errors.js'
import { type WatchedLoop, workerCode } from './block-watch-worker.js'
import type { LagSampler } from './lag-sampler.js'
import { notify } from './notify.js'

export interface BlockWatchOptions {
  /**
   * The minimum duration of an event-loop block whose cause is named, in milliseconds; 0 switches it off. A thread does so, which
   * starts with the first handler. Blocks shorter than four times `resolutionMs` may remain unnamed.
   * @default 100
   */
  readonly nameBlocksFromMs?: number
}

/** A period in which one holder blocked the event loop. */
export interface Block {
  /** The handler or method, also of another application of the process; `model-cache` for the caches; `none` if no handler started it. */
  readonly holder: string
  readonly seconds: number
  /** The innermost running function outside of Node itself: `name (file:line:column)`. */
  readonly at: string
  /** The running functions outside of Node itself, innermost first, at most 32. */
  readonly stack: readonly string[]
}

/** The share of a holder in the current block. */
interface Found {
  ms: number
  /**
   * Formatted only after the block. Formatting a stack with source maps parses URLs, and Node's URL parser has global
   * state that the interrupted code may be using.
   */
  readonly stack: Error
}

/** Starts the thread that watches the loop; undefined if it cannot start. */
export type StartThread = (loop: WatchedLoop) => Pick<Worker, 'terminate'> | undefined

/** The watches of the process that run: each of its applications has one, and knows its own holders. */
const running = new Set<BlockWatch>()

/** The holder of blocks in code that no watched holder started. */
export const noHolder = 'none'

/**
 * Names the code that blocks the event loop.
 *
 * A blocked loop cannot observe itself, so a second thread does. Each lag sample increments a shared counter. When the counter
 * stops for too long, the thread makes V8 interrupt the running code and call a function there, which records the handler of
 * the current asynchronous context and the stack. Without a block this costs one asynchronous context per handler; no promise
 * is measured. V8 interrupts native code, such as `JSON.parse`, when it returns.
 *
 * Code outside of handlers, such as GraphQL field resolvers, is found on the stack, by the innermost method of an added class.
 */
export class BlockWatch {
  readonly #sampler: LagSampler
  readonly #blockMs: number
  readonly #context = new AsyncLocalStorage<string>()
  readonly #inner: { readonly holder: string; readonly isRunning: () => boolean }[] = []
  readonly #classes = new Map<string, object>()
  readonly #listeners = new Set<(block: Block) => void>()
  /** Name of the diagnostics channel through which the second thread calls this one. */
  readonly #channel = `model-cache:block:${randomUUID()}`
  readonly #beat = new Int32Array(new SharedArrayBuffer(8))
  /** Shares of the current block, by holder. */
  #found = new Map<string, Found>()
  #last: Found | undefined
  #knownUntilMs = performance.now()
  #sampledAtMs = performance.now()
  readonly #startThread: StartThread
  #thread: ReturnType<StartThread>
  #isWanted: boolean
  #isPaused = false
  #endSamples = (): void => {}

  /** @throws EventLoopError */
  constructor(
    sampler: LagSampler,
    { nameBlocksFromMs = 100 }: BlockWatchOptions = {},
    startThread: StartThread = startWorker,
  ) {
    if (nameBlocksFromMs !== 0 && !(nameBlocksFromMs >= 20 && nameBlocksFromMs <= 60_000)) {
      throw invalidOptionError('nameBlocksFromMs', nameBlocksFromMs, 'milliseconds from 20 to 60000, or 0')
    }
    this.#sampler = sampler
    this.#blockMs = nameBlocksFromMs
    this.#startThread = startThread
    // Only the main thread can be interrupted, and only through the inspector.
    this.#isWanted = nameBlocksFromMs > 0 && isMainThread && process.features.inspector
  }

  /**
   * Calls a function and attributes it, and all its asynchronous continuations, to the holder. The sampler stays awake until
   * a returned promise settles.
   */
  run<T>(holder: string, call: () => T): T {
    this.#sampler.wake()
    const result = this.#context.run(holder, call)
    if (!isPromise(result)) return result
    this.#sampler.hold()
    return result.finally(() => this.#sampler.release()) as T
  }

  /** Adds a holder whose work runs within other holders' work and is attributed to itself, while `isRunning`. */
  addInner(holder: string, isRunning: () => boolean): void {
    this.#inner.push({ holder, isRunning })
  }

  /** Adds a class whose methods are named `Class.method` when they run outside of any holder. */
  addClass({ name, prototype }: { readonly name: string; readonly prototype: object }): void {
    this.#classes.set(name, prototype)
  }

  /**
   * Calls the listener after each block. What it throws, or rejects with, is ignored: it would end the process, or the read that took the
   * sample.
   */
  onBlock(listener: (block: Block) => void): void {
    this.#listeners.add(listener)
  }

  /** Starts the thread. Does nothing when called again or after {@link stop}. */
  start(): void {
    if (!this.#isWanted) return
    this.#isWanted = false
    running.add(this)
    const ends = [this.#sampler.onSample(this.#sampled), this.#sampler.onPause(this.#paused)]
    this.#endSamples = () => ends.forEach((end) => end())
    subscribe(this.#channel, this.#record)
    // Two looks fit into one block; without a block, at least one sample is taken between two looks.
    const lookEveryMs = Math.max(0.4 * this.#blockMs, 1.5 * this.#sampler.resolutionMs)
    this.#thread = this.#startThread({ beat: this.#beat, channel: this.#channel, lookEveryMs })
  }

  /** Stops permanently. Resolves when the thread has ended. */
  async stop(): Promise<void> {
    this.#isWanted = false
    running.delete(this)
    this.#endSamples()
    unsubscribe(this.#channel, this.#record)
    await this.#thread?.terminate()
  }

  /** Called by the second thread within the blocking code. An exception here would end the process. */
  readonly #record = (): void => {
    try {
      this.#recordHolder()
    } catch {
      // The block is still measured, without a name.
    }
  }

  #recordHolder(): void {
    const nowMs = performance.now()
    const holder = BlockWatch.#runningHolder()
    this.#last = this.#found.get(holder) ?? { ms: 0, stack: errorWithStack() }
    this.#found.set(holder, this.#last)
    // Attributes the whole time since the last look to the code that runs now.
    this.#last.ms += nowMs - this.#knownUntilMs
    this.#knownUntilMs = nowMs
  }

  /** The holder of the code that runs: the same in all watches of the process, as its applications count a block once for each name. */
  static #runningHolder(): string {
    const watches = [...running]
    const inner = watches.flatMap((watch) => watch.#inner).find(({ isRunning }) => isRunning())
    if (inner) return inner.holder
    const context = watches.map((watch) => watch.#context.getStore()).find((holder) => holder !== undefined)
    return context ?? methodOnStack(watches.map((watch) => watch.#classes)) ?? noHolder
  }

  readonly #sampled = (lagSeconds: number, nowMs: number): void => {
    Atomics.add(this.#beat, 0, 1)
    if (Atomics.exchange(this.#beat, 1, 1) === 0) Atomics.notify(this.#beat, 1)
    if (this.#last) {
      this.#last.ms += nowMs - this.#knownUntilMs
      if (nowMs - this.#sampledAtMs >= this.#blockMs) this.#report()
      this.#found = new Map()
      this.#last = undefined
    } else if (this.#isPaused && lagSeconds * 1_000 >= this.#blockMs) {
      this.#emit({
        holder: noHolder,
        seconds: lagSeconds,
        at: 'the first callback after an idle time',
        stack: [],
      })
    }
    this.#isPaused = false
    this.#knownUntilMs = this.#sampledAtMs = nowMs
  }

  /** Without samples the loop looks blocked, so the thread sleeps until the next one. */
  readonly #paused = (): void => {
    this.#isPaused = true
    Atomics.store(this.#beat, 1, 0)
  }

  #report(): void {
    for (const [holder, { ms, stack }] of this.#found) {
      // A late look finds the code that runs after the block, so a small share names nothing.
      if (ms < this.#blockMs / 2) continue
      const frames = framesIn(stack)
      const at = frames ? (frames[0] ?? 'a place in Node itself') : 'an unknown place'
      this.#emit({ holder, seconds: ms / 1_000, at, stack: frames ?? [] })
    }
  }

  #emit(block: Block): void {
    notify(this.#listeners, block)
  }
}

function startWorker(workerData: WatchedLoop): Worker | undefined {
  try {
    // No agent that the options of the process or NODE_OPTIONS load.
    const worker = new Worker(workerCode, { eval: true, workerData, execArgv: [], env: {} })
    worker.unref()
    // Without the thread, blocks are measured but not named.
    worker.on('error', () => {})
    return worker
  } catch {
    return undefined
  }
}

/** Number of stack frames to search; Node's default is ten. */
const depth = 64

/** Frames of a block that are reported, at most. */
const maxFrames = 32

function errorWithStack(): Error {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = depth
  const error = new Error('the stack')
  Error.stackTraceLimit = stackTraceLimit
  return error
}

/**
 * Returns the frames below the interruption that are not Node's own, innermost first, as `name (file:line:column)`; undefined if the
 * application's `Error.prepareStackTrace` makes no text of them.
 */
function framesIn(error: Error): string[] | undefined {
  const stack = formattedStack(error)
  if (typeof stack !== 'string') return undefined
  const lines = stack.split('\n')
  // The expression that the second thread evaluates has no file.
  const interruption = lines.findIndex((line) => line.includes('<anonymous>:1:'))
  return lines
    .slice(interruption + 1)
    .filter((line) => !line.includes('node:'))
    .slice(0, maxFrames)
    .map((line) => line.trim().replace(/^at (async )?/, ''))
}

/** What `Error.prepareStackTrace` returns, which is called here; undefined if it throws. */
function formattedStack(error: Error): unknown {
  try {
    return error.stack
  } catch {
    return undefined
  }
}

/** Classes by name, of one application. */
type Classes = ReadonlyMap<string, object>

/** Returns the innermost method of one of the classes, from V8's call sites: source maps would rename functions. */
function methodOnStack(known: readonly Classes[]): string | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error
  Error.stackTraceLimit = depth
  Error.prepareStackTrace = (_, sites) => sites
  const sites = new Error('the stack').stack as unknown as NodeJS.CallSite[] | string
  Error.prepareStackTrace = prepareStackTrace
  Error.stackTraceLimit = stackTraceLimit
  // If `Error.prepareStackTrace` cannot be replaced, the stack is a string.
  if (!Array.isArray(sites)) return undefined
  for (const site of sites) {
    const [name, method] = [site.getTypeName(), site.getFunctionName()]
    if (name && method && known.some((classes) => hasMethod(classes.get(name), method)))
      return `${name}.${method}`
  }
  return undefined
}

/** V8 gives functions called by a method that method's type name, so check that the class has them. */
function hasMethod(prototype: object | undefined, method: string): boolean {
  return prototype !== undefined && method in prototype
}
