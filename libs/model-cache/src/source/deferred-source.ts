import { LoadContractError } from '../errors.js'
import type { Source } from './source.js'

/** A source that the application binds during start-up, once its client exists. */
export class DeferredSource<Row, Id> implements Source<Row, Id> {
  readonly #name: string
  #source: Source<Row, Id> | undefined

  constructor(name: string) {
    this.#name = name
  }

  bind(source: Source<Row, Id>): void {
    this.#source = source
  }

  get maxIds(): number | undefined {
    return this.#source?.maxIds
  }

  get isCanonical(): ((id: Id) => boolean) | undefined {
    return this.#source?.isCanonical
  }

  get canonicalOf(): ((id: Id) => Id | undefined) | undefined {
    return this.#source?.canonicalOf
  }

  async load(ids: readonly Id[], client?: object): Promise<readonly Row[]> {
    if (this.#source) return this.#source.load(ids, client)
    throw new LoadContractError(
      this.#name,
      'cannot run before ModelCacheModule has been initialised; read in onApplicationBootstrap or later.',
    )
  }

  isOwnTransaction(client: object): boolean {
    return this.#source?.isOwnTransaction?.(client) ?? true
  }

  mayBlameOneId(error: unknown): boolean {
    return this.#source?.mayBlameOneId(error) ?? false
  }
}
