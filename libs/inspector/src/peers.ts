import { hostname } from 'node:os'
import { promisify } from 'node:util'
import { deflateRaw, inflateRaw } from 'node:zlib'
import { type Messages, randomId } from 'model-cache/internal'

/** A process, as others know it. */
export interface Peer {
  /** Unique; another one after a restart. */
  readonly id: string
  readonly host: string
  readonly pid: number
}

/** A process that was there, and has not answered for less than a minute. */
export interface SilentPeer extends Peer {
  /** ISO 8601. */
  readonly lastAt: string
}

export interface Answers {
  /** What each process answered, this one first. Anything: it comes from whoever may publish in the namespace. */
  readonly answers: readonly { readonly peer: Peer; readonly answer: unknown }[]
  readonly silent: readonly SilentPeer[]
}

/** How long a question waits for answers. */
const deadlineMs = 1_000
/** How long a process is asked that does not answer. */
const silenceMs = 60_000
const retryMs = 5_000
/** Processes that are listened to, at most. */
const maxPeers = 200
/** Characters of a message, at most: all processes answer at once, and a server drops connections that take too much. */
const maxLength = 1_000_000
/** Characters of a message above which it is compressed: the figures of three hundred busy caches have a million. */
const compressedAbove = 100_000
/** Bytes of a compressed message, at most. */
const maxInflated = 16 * 2 ** 20

interface KnownPeer {
  readonly peer: Peer
  readonly heardAtMs: number
  /** Since when it has not answered. */
  silentSinceMs: number | undefined
}

/** This process. */
export function ownPeer(): Peer {
  return { id: randomId(), host: hostname(), pid: process.pid }
}

/** Asks all processes of a namespace a question, over messages of the store. */
export class Peers {
  readonly self: Peer
  readonly #channel: string
  readonly #messages: Messages | undefined
  readonly #answerTo: (question: unknown) => Promise<unknown>
  readonly #known = new Map<string, KnownPeer>()
  readonly #questions = new Map<string, (peer: Peer, answer: unknown) => void>()
  #timer: NodeJS.Timeout | undefined
  #announcing: Promise<void> | undefined
  /** Whether this process receives messages, and the others know of it. */
  #isAnnounced = false

  /**
   * @param messages undefined where the store has one process
   * @param answerTo answers a question of another process, or of this one
   */
  constructor(
    self: Peer,
    namespace: string,
    messages: Messages | undefined,
    answerTo: (question: unknown) => Promise<unknown>,
  ) {
    this.self = self
    this.#channel = `${namespace}:{inspect}`
    this.#messages = messages
    this.#answerTo = answerTo
  }

  /** Begins to answer. Does not wait for the store, and does not keep the process alive. */
  start(): void {
    if (!this.#messages) return
    const announce = (): void => {
      this.#announcing ??= this.#announce().finally(() => (this.#announcing = undefined))
    }
    this.#timer = setInterval(announce, retryMs).unref()
    announce()
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    const messages = this.#messages
    if (!messages || !this.#timer) return
    this.#timer = undefined
    // What it subscribes to later would stay so, and others would hear of it once it has gone.
    await this.#announcing
    await this.#publish(this.#channel, { kind: 'gone', from: this.self })
    await Promise.all(
      [this.#channel, this.#ownChannel].map((channel) =>
        messages.unsubscribe(channel, this.#receive).catch(() => {}),
      ),
    )
  }

  /** Resolves when all processes have answered, or after a second. Never rejects for another process. */
  async ask(question: unknown): Promise<Answers> {
    const asked = randomId()
    const own = this.#answerTo(question)
    const others = this.#messages ? this.#collect(asked, question) : Promise.resolve([])
    const answers = [{ peer: this.self, answer: await own }, ...(await others)]
    const answered = new Set(answers.map(({ peer }) => peer.id))
    return { answers, silent: this.#silentBeside(answered) }
  }

  get #ownChannel(): string {
    return this.#channelOf(this.self)
  }

  #channelOf({ id }: Peer): string {
    return `${this.#channel}:${id}`
  }

  #collect(asked: string, question: unknown): Promise<{ readonly peer: Peer; readonly answer: unknown }[]> {
    const awaited = new Set(this.#known.keys())
    const answers: { readonly peer: Peer; readonly answer: unknown }[] = []
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#questions.delete(asked)
        resolve(answers)
      }
      const timer = setTimeout(end, deadlineMs)
      this.#questions.set(asked, (peer, answer) => {
        if (answers.length >= maxPeers || answers.some((other) => other.peer.id === peer.id)) return
        answers.push({ peer, answer })
        awaited.delete(peer.id)
        if (awaited.size === 0) end()
      })
      void this.#publish(this.#channel, { kind: 'question', from: this.self, asked, question }).then(
        (isPublished) => {
          if (!isPublished || awaited.size === 0) end()
        },
      )
    })
  }

  /** The processes that have not answered, without those that have not for too long. */
  #silentBeside(answered: ReadonlySet<string>): SilentPeer[] {
    const nowMs = Date.now()
    return [...this.#known].flatMap(([id, known]) => {
      if (answered.has(id)) return []
      known.silentSinceMs ??= nowMs
      if (nowMs - known.silentSinceMs > silenceMs) this.#known.delete(id)
      return [{ ...known.peer, lastAt: new Date(known.heardAtMs).toISOString() }]
    })
  }

  /** Subscribes, and has all other processes answer that they are there. Tried again until it works, and after a lost connection. */
  async #announce(): Promise<void> {
    if (this.#isAnnounced) return
    try {
      const lose = (): void => void (this.#isAnnounced = false)
      await this.#messages!.subscribe(this.#channel, this.#receive, lose)
      await this.#messages!.subscribe(this.#ownChannel, this.#receive, lose)
      this.#isAnnounced = await this.#publish(this.#channel, { kind: 'new', from: this.self })
    } catch {
      // The timer tries again.
    }
  }

  readonly #receive = (text: string): void => {
    if (text.startsWith('{')) this.#take(text)
    else void inflated(text).then(this.#take, () => {})
  }

  readonly #take = (json: string): void => {
    const message = messageIn(json)
    if (!message || message.from.id === this.self.id) return
    const { from } = message
    if (message.kind === 'gone') return void this.#known.delete(from.id)
    if (this.#known.has(from.id) || this.#known.size < maxPeers)
      this.#known.set(from.id, { peer: from, heardAtMs: Date.now(), silentSinceMs: undefined })
    if (message.kind === 'new') void this.#publish(this.#channelOf(from), { kind: 'here', from: this.self })
    else if (message.kind === 'answer') this.#questions.get(message.asked)?.(from, message.answer)
    else if (message.kind === 'question') void this.#answer(from, message.asked, message.question)
  }

  async #answer(to: Peer, asked: string, question: unknown): Promise<void> {
    try {
      const answer = await this.#answerTo(question)
      await this.#publish(this.#channelOf(to), { kind: 'answer', from: this.self, asked, answer })
    } catch {
      // The asking process lists this one as silent.
    }
  }

  /** @returns whether the store took it */
  async #publish(channel: string, message: Message): Promise<boolean> {
    const json = JSON.stringify(message)
    try {
      const text = json.length > compressedAbove ? await compressed(json) : json
      if (text.length > maxLength) return false
      await this.#messages!.publish(channel, text)
      return true
    } catch {
      return false
    }
  }
}

type Message =
  | { readonly kind: 'question'; readonly from: Peer; readonly asked: string; readonly question: unknown }
  | { readonly kind: 'answer'; readonly from: Peer; readonly asked: string; readonly answer: unknown }
  | { readonly kind: (typeof notices)[number]; readonly from: Peer }

/** A process begins; another one answers that it is there; a process ends. */
const notices = ['new', 'here', 'gone'] as const

async function compressed(json: string): Promise<string> {
  return (await promisify(deflateRaw)(json)).toString('base64')
}

/** Rejects for what {@link compressed} does not return. */
async function inflated(text: string): Promise<string> {
  const bytes = Buffer.from(text, 'base64')
  return (await promisify(inflateRaw)(bytes, { maxOutputLength: maxInflated })).toString()
}

function messageIn(json: string): Message | undefined {
  try {
    const message = Object(JSON.parse(json)) as Record<string, unknown>
    const { id, host, pid } = Object(message.from) as Record<string, unknown>
    if (typeof id !== 'string' || typeof host !== 'string' || typeof pid !== 'number') return undefined
    const from = { id, host, pid }
    const notice = notices.find((kind) => kind === message.kind)
    if (notice) return { kind: notice, from }
    const { asked, answer, question } = message
    if (typeof asked !== 'string') return undefined
    if (message.kind === 'question') return { kind: 'question', from, asked, question }
    return message.kind === 'answer' ? { kind: 'answer', from, asked, answer } : undefined
  } catch {
    return undefined
  }
}
