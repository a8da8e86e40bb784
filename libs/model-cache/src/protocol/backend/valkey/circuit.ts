import type { CircuitBreakerPolicy } from 'cockatiel'
import { circuitBreaker, CircuitState, ConsecutiveBreaker, ExponentialBackoff, handleAll } from 'cockatiel'
import { StoreError } from '../../../errors.js'

/** How many commands in a row may fail before the circuit opens. */
const maxFailures = 3

/**
 * A circuit breaker for one server, which would otherwise cost every read the whole deadline if it hangs. It is open while
 * there is no connection, and after three failures in a row. While open, it lets a single command try, first after
 * 0.1 s and later every two seconds at most; a success closes it.
 */
export class Circuit {
  readonly #policy: CircuitBreakerPolicy
  readonly #store: string
  #onChange: (state: 'up' | 'down', reason: string) => void
  #isolation: { dispose(): void } | undefined
  #isDown = false
  /** Whether the last command has succeeded. The policy, which costs more than a command's other promises, need not hear of the next. */
  #isHealthy = true

  /** @param onChange called once per change, never per command */
  constructor(store: string, onChange: (state: 'up' | 'down', reason: string) => void) {
    this.#store = store
    this.#onChange = onChange
    this.#policy = circuitBreaker(handleAll, {
      breaker: new ConsecutiveBreaker(maxFailures),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: 100, maxDelay: 2_000 }),
    })
    this.#policy.onBreak((failure) => {
      if ('error' in failure) this.#goDown((failure.error as StoreError).message)
    })
    this.#policy.onReset(() => this.#goUp('commands are answered'))
  }

  /** @throws StoreError at once if it is open, otherwise the command's error */
  run<T>(command: () => Promise<T>): Promise<T> {
    if (!this.#isClosed) return this.#execute(command)
    return command().then(this.#succeed, this.#fail) as Promise<T>
  }

  readonly #succeed = (reply: unknown): unknown =>
    this.#isHealthy || !this.#isClosed ? reply : this.#execute(async () => reply)

  readonly #fail = (error: unknown): unknown => {
    // Another command has opened it meanwhile.
    if (!this.#isClosed) throw this.#asStoreError(error)
    this.#isHealthy = false
    return this.#execute(async () => {
      throw error
    })
  }

  async #execute<T>(command: () => Promise<T>): Promise<T> {
    const { state } = this.#policy
    // The policy would make all other commands wait for the one that tries.
    if (state === CircuitState.HalfOpen) throw this.#refusal()
    try {
      const reply = await this.#policy.execute(command)
      this.#isHealthy = true
      return reply
    } catch (error) {
      throw this.#asStoreError(error)
    }
  }

  get #isClosed(): boolean {
    return this.#policy.state === CircuitState.Closed
  }

  /** Opens the circuit until {@link connected}. */
  disconnected(reason: string): void {
    this.#isolation ??= this.#policy.isolate()
    this.#goDown(reason)
  }

  connected(): void {
    this.#isolation?.dispose()
    this.#isolation = undefined
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
