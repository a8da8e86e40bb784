import type { CircuitBreakerPolicy } from 'cockatiel'
import { circuitBreaker, CircuitState, ConsecutiveBreaker, ExponentialBackoff, handleAll } from 'cockatiel'
import { StoreError } from '../errors.js'

/** Commands that fail in a row before the others are kept from waiting. */
const tolerated = 3

/**
 * Keeps commands from a server that does not serve them: a hanging one would cost every read its whole deadline. Open while
 * there is no connection, and after three failures in a row; then one command is let through every now and then, after
 * 0.1 s at first and at least every two seconds, and when it is served, so are all.
 */
export class Circuit {
  readonly #policy: CircuitBreakerPolicy
  readonly #store: string
  #onChange: (state: 'up' | 'down', reason: string) => void
  #isolation: { dispose(): void } | undefined
  #isDown = false

  /** @param onChange told once per change, never per command */
  constructor(store: string, onChange: (state: 'up' | 'down', reason: string) => void) {
    this.#store = store
    this.#onChange = onChange
    this.#policy = circuitBreaker(handleAll, {
      breaker: new ConsecutiveBreaker(tolerated),
      halfOpenAfter: new ExponentialBackoff({ initialDelay: 100, maxDelay: 2_000 }),
    })
    this.#policy.onBreak((failure) => {
      if ('error' in failure) this.#goDown((failure.error as StoreError).message)
    })
    this.#policy.onReset(() => this.#goUp('commands are answered'))
  }

  /** @throws StoreError at once when it is open, otherwise what the command throws */
  async run<T>(command: () => Promise<T>): Promise<T> {
    const { state } = this.#policy
    // While one command tries, the policy would make all others wait for it.
    if (state === CircuitState.HalfOpen || state === CircuitState.Isolated) throw this.#refusal()
    try {
      return await this.#policy.execute(command)
    } catch (error) {
      throw error instanceof StoreError ? error : this.#refusal()
    }
  }

  /** Opens it until {@link connected}. */
  disconnected(reason: string): void {
    this.#isolation ??= this.#policy.isolate()
    this.#goDown(reason)
  }

  connected(): void {
    this.#isolation?.dispose()
    this.#isolation = undefined
  }

  /** For a server that is not asked any more: what is still on its way changes nothing. */
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
    return new StoreError(this.#store, 'is passed by, as it did not answer before')
  }
}
