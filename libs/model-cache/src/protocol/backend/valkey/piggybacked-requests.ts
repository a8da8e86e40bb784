import type { CatalogueAnswer } from '../store.js'

/** A writer's question whether the catalogue still has the version that it knows. */
export interface CatalogueCheckRequest {
  /** The keys of the catalogue: its entries and its epoch. */
  readonly keys: readonly [string, string]
  readonly known: string
}

interface WaitingQuestion extends CatalogueCheckRequest {
  /** Takes the store's time in milliseconds, or null if the catalogue has changed or no command has carried the question. */
  answer(nowMs: string | null): void
}

/**
 * The questions of writers in one turn of the event loop, of which each fence of that turn carries one: a write asks with
 * each fence, and one command costs client and server less than two.
 */
export class PiggybackedRequests {
  readonly #beforeSending: (callback: () => void) => void
  #questions: WaitingQuestion[] = []
  #carriers: ((question: WaitingQuestion | undefined) => void)[] = []

  /** @param beforeSending calls back before the commands of the turn are sent */
  constructor(beforeSending: (callback: () => void) => void) {
    this.#beforeSending = beforeSending
  }

  /** @param askAlone asks without a fence, about everything that has changed */
  ask(
    { keys, known }: CatalogueCheckRequest,
    askAlone: () => Promise<CatalogueAnswer>,
  ): Promise<CatalogueAnswer> {
    this.#wait()
    return new Promise((resolve) => {
      const answer = (nowMs: string | null): void => {
        if (nowMs === null) return resolve(askAlone())
        const epoch = known.slice(0, known.indexOf('.'))
        resolve({ epoch, version: known, nowMs: Number(nowMs), entries: undefined })
      }
      this.#questions.push({ keys, known, answer })
    })
  }

  /** Has a command sent at the end of the turn, with a question if there is one. The command has to answer it. */
  carry(send: (question: WaitingQuestion | undefined) => void): void {
    this.#wait()
    this.#carriers.push(send)
  }

  #wait(): void {
    if (this.#questions.length + this.#carriers.length === 0) this.#beforeSending(this.#send)
  }

  readonly #send = (): void => {
    const [questions, carriers] = [this.#questions, this.#carriers]
    this.#questions = []
    this.#carriers = []
    for (const [i, carry] of carriers.entries()) carry(questions[i])
    for (const { answer } of questions.slice(carriers.length)) answer(null)
  }
}
