import { hostname } from 'node:os'
import { fits, isText, jsonObjectIn, type Messages, randomId, warmKey } from '../protocol/index.js'
import { type Hint, maxHintsPerBatch } from './hints.js'
import { type WarmCounts, warmCountsIn } from './warm-counts.js'
import type { Warmer } from './warmer.js'

/** A process that replays hints. */
export interface WarmingProcess {
  readonly id: string
  readonly host: string
  readonly pid: number
  /** How many it replays in a second at most. */
  readonly perSecond: number
  /** The names of its caches. */
  readonly caches: readonly string[]
}

/** A message from a command to all processes, or to one. */
type Request =
  | { readonly kind: 'who'; readonly replyTo: string }
  | {
      readonly kind: 'hints'
      readonly replyTo: string
      readonly batch: string
      readonly hints: readonly Hint[]
    }

/** A message from a process to the command. */
type Reply =
  | { readonly kind: 'here'; readonly process: WarmingProcess }
  | { readonly kind: 'working'; readonly batch: string }
  | { readonly kind: 'replayed'; readonly batch: string; readonly counts: unknown }

/** How often a process says that it is replaying. */
const workingMs = 1_000
/** After this time without a word the process is gone. */
const silenceMs = 10_000
/** How long a command waits for processes that have the caches. */
const searchMs = 2_000
const retryMs = 5_000
/** Batches that wait in a process, of all commands. */
const maxWaiting = 4

const channelOf = (namespace: string, id: string): string => `${warmKey(namespace)}:${id}`

type ListeningWarmer = Pick<Warmer, 'caches' | 'perSecond' | 'replay'>

/** Has a process replay the hints that `npx model-cache warm` sends. */
export class WarmListener {
  readonly #self: Omit<WarmingProcess, 'caches'>
  readonly #namespace: string
  readonly #messages: Messages
  readonly #warmer: ListeningWarmer
  #waiting = 0
  #timer: NodeJS.Timeout | undefined
  #subscribing: Promise<void> | undefined

  constructor(namespace: string, messages: Messages, warmer: ListeningWarmer) {
    const { perSecond } = warmer
    this.#self = { id: randomId(), host: hostname(), pid: process.pid, perSecond }
    this.#namespace = namespace
    this.#messages = messages
    this.#warmer = warmer
  }

  /** Subscribes, tried again until it works. Does not keep the process alive. */
  start(): void {
    const subscribe = (): void => {
      this.#subscribing ??= this.#subscribe()
    }
    this.#timer = setInterval(subscribe, retryMs).unref()
    subscribe()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    // What is subscribed later would stay so.
    await this.#subscribing
    await Promise.all(
      this.#channels.map((channel) => this.#messages.unsubscribe(channel, this.#receive).catch(() => {})),
    )
  }

  get #channels(): readonly string[] {
    return [warmKey(this.#namespace), channelOf(this.#namespace, this.#self.id)]
  }

  async #subscribe(): Promise<void> {
    try {
      for (const channel of this.#channels) await this.#messages.subscribe(channel, this.#receive, () => {})
      clearInterval(this.#timer)
    } catch {
      // The timer tries again.
    }
    this.#subscribing = undefined
  }

  readonly #receive = (text: string): void => {
    const request = requestIn(text, `${warmKey(this.#namespace)}:`)
    if (request?.kind === 'who') {
      const { caches } = this.#warmer
      if (caches.length > 0)
        this.#reply(request.replyTo, { kind: 'here', process: { ...this.#self, caches } })
    } else if (request && this.#waiting < maxWaiting) void this.#replay(request)
  }

  async #replay({ batch, hints, replyTo }: Extract<Request, { kind: 'hints' }>): Promise<void> {
    const working = setInterval(() => this.#reply(replyTo, { kind: 'working', batch }), workingMs)
    this.#waiting++
    const counts = await this.#warmer.replay(hints)
    this.#waiting--
    clearInterval(working)
    if (counts) this.#reply(replyTo, { kind: 'replayed', batch, counts })
  }

  /** A command that gets no reply looks for another process. */
  #reply(channel: string, reply: Reply): void {
    void this.#messages.publish(channel, JSON.stringify(reply)).catch(() => {})
  }
}

/** Finds the processes that replay hints, and sends them some, for a command. */
export class WarmingProcesses {
  readonly #namespace: string
  readonly #messages: Messages
  readonly #replyTo: string
  #receive: (reply: Reply) => void = () => {}

  constructor(namespace: string, messages: Messages) {
    this.#namespace = namespace
    this.#messages = messages
    this.#replyTo = channelOf(namespace, randomId())
  }

  /** @throws StoreError */
  async open(): Promise<void> {
    const receive = (text: string): void => {
      const reply = replyIn(text)
      if (reply) this.#receive(reply)
    }
    await this.#messages.subscribe(this.#replyTo, receive, () => {})
  }

  /**
   * The first process that answers for each cache: several applications may share the namespace. Caches that no process has are left out.
   *
   * @throws StoreError
   */
  async find(caches: ReadonlySet<string>, signal: AbortSignal): Promise<ReadonlyMap<string, WarmingProcess>> {
    const request: Request = { kind: 'who', replyTo: this.#replyTo }
    const found = new Map<string, WarmingProcess>()
    await this.#ask(warmKey(this.#namespace), request, searchMs, signal, (reply) => {
      if (reply.kind !== 'here') return undefined
      for (const cache of reply.process.caches)
        if (caches.has(cache) && !found.has(cache)) found.set(cache, reply.process)
      return found.size === caches.size || undefined
    })
    return found
  }

  /** Undefined if the process does not answer any more. @throws StoreError */
  replay(
    { id }: WarmingProcess,
    hints: readonly Hint[],
    signal: AbortSignal,
  ): Promise<WarmCounts | undefined> {
    const batch = randomId()
    const request: Request = { kind: 'hints', replyTo: this.#replyTo, batch, hints }
    return this.#ask(channelOf(this.#namespace, id), request, silenceMs, signal, (reply) =>
      reply.kind === 'replayed' && reply.batch === batch ? warmCountsIn(reply.counts) : undefined,
    )
  }

  async #ask<T>(
    channel: string,
    request: Request,
    ms: number,
    signal: AbortSignal,
    answerIn: (reply: Reply) => T | undefined,
  ): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>()
    const giveUp = (): void => resolve(undefined)
    const timer = setTimeout(giveUp, ms)
    signal.addEventListener('abort', giveUp)
    this.#receive = (reply) => {
      if (reply.kind === 'working') timer.refresh()
      const answer = answerIn(reply)
      if (answer !== undefined) resolve(answer)
    }
    try {
      if (signal.aborted) return undefined
      await this.#messages.publish(channel, JSON.stringify(request))
      return await promise
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    }
  }
}

/** Whoever may publish in the namespace may send anything: replies go to its channels only, and a batch is as long as those of a command. */
function requestIn(text: string, channels: string): Request | undefined {
  const { batch, hints, kind, replyTo } = jsonObjectIn(text) ?? {}
  if (typeof replyTo !== 'string' || !replyTo.startsWith(channels)) return undefined
  if (kind === 'who') return { kind, replyTo }
  if (kind !== 'hints' || typeof batch !== 'string' || !fits(hints, [{ cache: isText, id: isText }]))
    return undefined
  const list = hints as readonly Hint[]
  return list.length <= maxHintsPerBatch ? { kind, replyTo, batch, hints: list } : undefined
}

function replyIn(text: string): Reply | undefined {
  const { batch, counts, kind, process } = jsonObjectIn(text) ?? {}
  if (kind === 'here') {
    if (!fits(process, { host: isText, id: isText, pid: isNumber, perSecond: isNumber, caches: [isText] }))
      return undefined
    const { caches, host, id, perSecond, pid } = process as WarmingProcess
    return { kind, process: { host, id, pid, perSecond, caches } }
  }
  if (typeof batch !== 'string') return undefined
  if (kind === 'working') return { kind, batch }
  return kind === 'replayed' ? { kind, batch, counts } : undefined
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
