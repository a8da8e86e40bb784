import type { RegisterSnapshot } from '../protocol/index.js'
import type { RegisterReads } from './context.js'

/** A register whose snapshots are changed for those who read it. */
export class MappedRegister implements RegisterReads {
  readonly #register: RegisterReads
  readonly #map: (snapshot: RegisterSnapshot) => RegisterSnapshot

  constructor(register: RegisterReads, map: (snapshot: RegisterSnapshot) => RegisterSnapshot) {
    this.#register = register
    this.#map = map
  }

  get fingerprints(): readonly string[] {
    return this.#register.fingerprints
  }

  get joiningForMs(): number {
    return this.#register.joiningForMs
  }

  get losses(): number {
    return this.#register.losses
  }

  read(): Promise<RegisterSnapshot> {
    return this.#register.read().then(this.#map)
  }

  readForLoaded(): Promise<RegisterSnapshot> {
    return this.#register.readForLoaded().then(this.#map)
  }
}
