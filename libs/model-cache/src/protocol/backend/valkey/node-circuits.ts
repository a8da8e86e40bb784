import { Circuit } from './circuit.js'
import type { StoreStateListener } from '../store.js'

export type Side = Parameters<StoreStateListener>[0]

/**
 * One circuit per side of each node; a single server is the node `''`. Reads and writes fail independently, because a server that is
 * full or read-only still answers reads. So do the nodes of a cluster.
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
      circuit = new Circuit(this.#store, (state, reason) => this.#report(side, state, reason + on))
      this.#circuits[side].set(node, circuit)
    }
    return circuit
  }

  /** Drops the circuits of nodes that no longer hold slots. */
  retire(side: Side, primaries: ReadonlySet<string>): void {
    for (const [node, circuit] of this.#circuits[side]) {
      if (primaries.has(node)) continue
      this.#circuits[side].delete(node)
      circuit.retire('its slots have moved to other nodes')
    }
  }

  /** Stops reporting changes. */
  silence(): void {
    this.#onStateChange = () => {}
  }

  /** An error of the listener would end the process, because the client calls it from a socket event. */
  #report(...change: Parameters<StoreStateListener>): void {
    try {
      this.#onStateChange(...change)
    } catch {
      // No caller can handle it.
    }
  }
}
