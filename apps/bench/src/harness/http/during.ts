import type { Served } from './served.ts'

/** Stops a server when the work with it is done. */
export async function during<Server extends Pick<Served, 'stop'>, T>(
  starting: Promise<Server>,
  work: (served: Server) => Promise<T>,
): Promise<T> {
  const served = await starting
  return work(served).finally(() => served.stop())
}
