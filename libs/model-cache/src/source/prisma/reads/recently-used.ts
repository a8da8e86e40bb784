/** By the method of the client, and by what is the same in its queries. */
type Kept<Known> = Map<string | undefined, Map<string, Known>>

/**
 * Keeps what is known of queries. When there are too many, those go that were not used lately: a client that pages sends any number of
 * queries, each of which is another one.
 */
export class RecentlyUsed<Known> {
  readonly #most: number
  #recent: Kept<Known> = new Map()
  /** What was recent before: it goes once as many others have been used. */
  #older: Kept<Known> = new Map()
  /** How many are recent. */
  #size = 0

  /** @param most so many are kept, however long ago they were used, and twice as many at most */
  constructor(most: number) {
    this.#most = most
  }

  /** Whether anything is known of queries by a method. */
  has(method: string | undefined): boolean {
    return this.#recent.has(method) || this.#older.has(method)
  }

  get(method: string | undefined, text: string): Known | undefined {
    const recent = this.#recent.get(method)?.get(text)
    if (recent !== undefined) return recent
    const older = this.#older.get(method)?.get(text)
    if (older !== undefined) this.set(method, text, older)
    return older
  }

  set(method: string | undefined, text: string, known: Known): void {
    if (!this.#recent.get(method)?.has(text) && ++this.#size > this.#most) {
      this.#older = this.#recent
      this.#recent = new Map()
      this.#size = 1
    }
    const ofMethod = this.#recent.get(method) ?? new Map<string, Known>()
    this.#recent.set(method, ofMethod.set(text, known))
  }

  delete(method: string | undefined, text: string): void {
    if (this.#recent.get(method)?.delete(text)) this.#size--
    this.#older.get(method)?.delete(text)
  }
}
