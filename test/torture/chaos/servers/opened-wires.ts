import type { FaultyWire } from '../faults/faulty-wire.ts'
import type { ValkeyAccess } from '../pod/protocol.ts'

export interface OpenedWires {
  /** One for each server. */
  readonly wires: readonly FaultyWire[]
  readonly access: ValkeyAccess
}
