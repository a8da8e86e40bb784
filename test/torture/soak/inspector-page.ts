import { setTimeout as sleep } from 'node:timers/promises'
import { Errors } from '../errors.ts'
import { userId } from '../users.ts'
import { counts } from './rows.ts'

/** As often as the page asks. */
const EVERY_MS = 2_000
/** One of as many rounds asks for a row and a list as well, as people do. */
const LOOKS_EACH = 5
/** What people ask for while the store does not answer. */
const UNAVAILABLE = 503

/** Asks the inspector of a process for what its page shows, as often as the page does. */
export class InspectorPage extends Errors {
  readonly #url: string
  readonly #over = new AbortController()
  readonly #polling: Promise<void>
  answers = 0

  constructor(url: string) {
    super()
    this.#url = url
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
        const id = encodeURIComponent(userId(round % counts.users))
        await this.#ask(`row?cache=User&id=${id}`, UNAVAILABLE)
        await this.#ask(`entry?cache=User&lookup=ofCity&key=${encodeURIComponent('city 1')}`, UNAVAILABLE)
      }
      await sleep(EVERY_MS, undefined, { signal: this.#over.signal }).catch(() => {})
    }
  }

  async #ask(path: string, alsoAllowed?: number): Promise<void> {
    try {
      const response = await fetch(`${this.#url}/inspector/api/v1/${path}`)
      const text = await response.text()
      if (response.ok || response.status === alsoAllowed) this.answers++
      else this.note(`${path}: ${response.status} ${text.slice(0, 300)}`)
    } catch (error) {
      this.note(`${path}: ${String(error)} ${String((error as Error).cause ?? '')}`)
    }
  }
}
