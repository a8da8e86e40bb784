import { FaultyWire } from '../../servers/faulty-wire.ts'
import type { DatabaseAccess } from './database-access.ts'

/** Opens a wire to a server, for one pod. */
export async function openWire(
  access: Omit<DatabaseAccess, 'url'>,
): Promise<{ readonly access: DatabaseAccess; readonly wires: readonly FaultyWire[] }> {
  const url = new URL(access.directUrl)
  const wire = await FaultyWire.start(Number(url.port))
  url.port = String(wire.port)
  return { access: { ...access, url: url.href }, wires: [wire] }
}
