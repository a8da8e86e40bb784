import { setTimeout as sleep } from 'node:timers/promises'
import { userId, USERS } from './pod/users.ts'

/** As often as the page asks. */
const EVERY_MS = 2_000
/** One of as many rounds asks for a row and a list as well, as people do. */
const LOOKS_EACH = 5
/** What people ask for while the store does not answer. */
const UNAVAILABLE = 503

/** Asks the inspector of a process for what its page shows, as often as the page does. */
export class InspectorPage {
  readonly #base: string
  readonly #over = new AbortController()
  readonly #polling: Promise<void>
  answers = 0
  errors = 0
  firstError: string | undefined

  constructor(url: string) {
    this.#base = `${url}/inspector/api/v1/`
    this.#polling = this.#poll()
  }

  async close(): Promise<void> {
    this.#over.abort()
    await this.#polling
  }

  async #poll(): Promise<void> {
    for (let round = 0; !this.#over.signal.aborted; round++) {
      await Promise.all([this.#ask('caches'), this.#ask('processes')])
      if (round % LOOKS_EACH === 0) {
        const number = round % USERS
        await this.#ask(`row?cache=User&id=${encodeURIComponent(userId(number))}`, UNAVAILABLE)
        await this.#ask(`entry?cache=User&lookup=ofCity&key=${encodeURIComponent('city 1')}`, UNAVAILABLE)
      }
      await sleep(EVERY_MS, undefined, { signal: this.#over.signal }).catch(() => {})
    }
  }

  async #ask(path: string, alsoAllowed?: number): Promise<void> {
    try {
      const response = await fetch(this.#base + path)
      const text = await response.text()
      if (response.ok || response.status === alsoAllowed) this.answers++
      else this.#fail(`${path}: ${response.status} ${text.slice(0, 300)}`)
    } catch (error) {
      this.#fail(`${path}: ${String(error)} ${String((error as Error).cause ?? '')}`)
    }
  }

  #fail(error: string): void {
    this.errors++
    this.firstError ??= error
  }
}
