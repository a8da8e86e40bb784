import { notify } from '@model-cache/event-loop/internal'
import type { StoreStateListener } from '../store.js'
import { StoreError } from '../../../errors.js'

export type Side = Parameters<StoreStateListener>[0]

/**
 * One circuit per side of each node; a single server is the node `''`. Reads and writes fail independently, because a server that is
 * full or read-only still answers reads. So do the nodes of a cluster.
 */
export class NodeCircuits {
  readonly #store: string
  readonly #circuits = { reads: new Map<string, Circuit>(), writes: new Map<string, Circuit>() }
  #onStateChange: StoreStateListener

  /** @param onStateChange called once per change */
  constructor(store: string, onStateChange: StoreStateListener) {
    this.#store = store
    this.#onStateChange = onStateChange
  }

  of(side: Side, node: string): Circuit {
    let circuit = this.#circuits[side].get(node)
    if (!circuit) {
      const on = node ? ` (node ${node})` : ''
      // An error of the listener would end the process, because the client calls it from a socket event.
      const report = (state: 'up' | 'down', reason: string): void =>
        notify([this.#onStateChange], side, state, reason + on)
      circuit = new Circuit(this.#store, report)
      this.#circuits[side].set(node, circuit)
    }
    return circuit
  }

  /** Drops the circuits of nodes that no longer hold slots. */
  retire(side: Side, primaries: ReadonlySet<string>): void {
    for (const [node, circuit] of this.#circuits[side]) {
      if (primaries.has(node)) continue
      this.#circuits[side].delete(node)
      circuit.retire('its slots have moved to other nodes')
    }
  }

  /** Stops reporting changes. Those that are open count as closed: nobody bypasses their servers any more. */
  close(): void {
    for (const circuits of Object.values(this.#circuits))
      for (const circuit of circuits.values()) circuit.retire('the store is closed')
    this.#onStateChange = () => {}
  }
}

/** How many commands in a row may fail before the circuit opens. */
const maxFailures = 3

/** How long an open circuit refuses commands before one may try: at first, and at most. */
const firstBreakMs = 100
const maxBreakMs = 2_000

/**
 * A circuit breaker for one server, which would otherwise cost every read the whole deadline if it hangs. It is open while
 * there is no connection, and after three failures in a row. While open, it lets a single command try, first after
 * 0.1 s and later every two seconds at most; a success closes it.
 */
export class Circuit {
  readonly #store: string
  #onChange: (state: 'up' | 'down', reason: string) => void
  #state: 'closed' | 'open' | 'trying' | 'disconnected' = 'closed'
  /** Failures in a row, those of tries included. */
  #failures = 0
  /** When a command may try, by `performance.now()`, which no correction of the clock moves. */
  #retryAtMs = 0
  #isDown = false

  /** @param onChange called once per change, never per command */
  constructor(store: string, onChange: (state: 'up' | 'down', reason: string) => void) {
    this.#store = store
    this.#onChange = onChange
  }

  /** @throws StoreError at once if it is open, otherwise the command's error */
  run<T>(command: () => Promise<T>): Promise<T> {
    if (this.#state === 'closed') return command().then(this.#succeed, this.#fail) as Promise<T>
    if (this.#state === 'open' && performance.now() >= this.#retryAtMs) return this.#try(command)
    return Promise.reject(this.#refusal())
  }

  readonly #succeed = (reply: unknown): unknown => {
    if (this.#state === 'closed') this.#failures = 0
    return reply
  }

  readonly #fail = (error: unknown): unknown => {
    const failure = this.#asStoreError(error)
    // Otherwise another command has opened it meanwhile.
    if (this.#state === 'closed' && ++this.#failures >= maxFailures) this.#open(failure)
    throw failure
  }

  async #try<T>(command: () => Promise<T>): Promise<T> {
    this.#state = 'trying'
    try {
      const reply = await command()
      if (this.#isTrying) this.#close()
      return reply
    } catch (error) {
      const failure = this.#asStoreError(error)
      this.#failures++
      if (this.#isTrying) this.#open(failure)
      throw failure
    }
  }

  /** False once the connection is lost, or another one has begun. */
  get #isTrying(): boolean {
    return this.#state === 'trying'
  }

  #open(failure: StoreError): void {
    const breakMs = Math.min(firstBreakMs * 2 ** (this.#failures - maxFailures), maxBreakMs)
    // So that processes do not try at the same time.
    this.#retryAtMs = performance.now() + breakMs * (1 - Math.random() / 2)
    this.#state = 'open'
    this.#goDown(failure.message)
  }

  #close(): void {
    this.#state = 'closed'
    this.#failures = 0
    this.#goUp('commands are answered')
  }

  /** Opens the circuit until {@link connected}. */
  disconnected(reason: string): void {
    this.#state = 'disconnected'
    this.#goDown(reason)
  }

  connected(): void {
    if (this.#state === 'disconnected') this.#close()
  }

  /** Stops reporting changes: the server is no longer used, whatever its running commands do. */
  retire(reason: string): void {
    this.#goUp(reason)
    this.#onChange = () => {}
  }

  #goUp(reason: string): void {
    if (!this.#isDown) return
    this.#isDown = false
    this.#onChange('up', reason)
  }

  #goDown(reason: string): void {
    if (this.#isDown) return
    this.#isDown = true
    this.#onChange('down', reason)
  }

  #asStoreError(error: unknown): StoreError {
    return error instanceof StoreError ? error : this.#refusal()
  }

  #refusal(): StoreError {
    return new StoreError(this.#store, 'is bypassed, because it did not answer before')
  }
}
