import { Circuit } from './circuit.js'
import type { StoreStateListener } from './store.js'

export type Side = Parameters<StoreStateListener>[0]

/**
 * A circuit for each side of each node; a single server is the node `''`. Reads and writes fail apart, as a server that is full or
 * read-only still answers reads; so do the nodes of a cluster.
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
      circuit = new Circuit(this.#store, (state, reason) => this.#tell(side, state, reason + on))
      this.#circuits[side].set(node, circuit)
    }
    return circuit
  }

  /** Drops the circuits of nodes that hold no slots any more. */
  retire(side: Side, primaries: ReadonlySet<string>): void {
    for (const [node, circuit] of this.#circuits[side]) {
      if (primaries.has(node)) continue
      this.#circuits[side].delete(node)
      circuit.retire('its slots are with others')
    }
  }

  /** Tells nobody of changes from now on. */
  silence(): void {
    this.#onStateChange = () => {}
  }

  /** An error of the listener would end the process: the client calls it from the event of a socket. */
  #tell(...change: Parameters<StoreStateListener>): void {
    try {
      this.#onStateChange(...change)
    } catch {
      // No caller could handle it.
    }
  }
}
