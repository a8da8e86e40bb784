import type { CircuitBreakerPolicy } from 'cockatiel'
import { circuitBreaker, CircuitState, ConsecutiveBreaker, ExponentialBackoff, handleAll } from 'cockatiel'
import { StoreError } from '../errors.js'

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
  async run<T>(command: () => Promise<T>): Promise<T> {
    const { state } = this.#policy
    // The policy would make all other commands wait for the one that tries.
    if (state === CircuitState.HalfOpen) throw this.#refusal()
    try {
      return await this.#policy.execute(command)
    } catch (error) {
      throw error instanceof StoreError ? error : this.#refusal()
    }
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

  #refusal(): StoreError {
    return new StoreError(this.#store, 'is bypassed, because it did not answer before')
  }
}
