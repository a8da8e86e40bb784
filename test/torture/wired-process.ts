import { type Methods, type Process, type ProcessOptions, startProcess } from './bench/harness.ts'
import { FaultyWire } from './servers/faulty-wire.ts'

/** A process behind a wire of its own to the database, which ends with it. */
export interface WiredProcess<M extends Methods> {
  readonly process: Process<M>
  /** Undefined if it reaches the database directly. */
  readonly wire: FaultyWire | undefined
}

/** Starts a process, and names the database in DATABASE_URL. */
export async function startDirectly<M extends Methods>(
  file: string,
  databaseUrl: string,
  { env, ...options }: ProcessOptions,
): Promise<WiredProcess<M>> {
  const process = await startProcess<M>(file, { ...options, env: { ...env, DATABASE_URL: databaseUrl } })
  return { process, wire: undefined }
}

/** Starts a process, and names its end of the wire in DATABASE_URL. */
export async function startBehindWire<M extends Methods>(
  file: string,
  databaseUrl: string,
  { env, ...options }: ProcessOptions,
): Promise<WiredProcess<M>> {
  const url = new URL(databaseUrl)
  const wire = await FaultyWire.start(Number(url.port))
  url.port = String(wire.port)
  const process = await startProcess<M>(file, { ...options, env: { ...env, DATABASE_URL: url.href } })
  void process.exited.then(() => wire.close())
  return { process, wire }
}
