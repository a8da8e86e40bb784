import { join } from 'node:path'
import { startProcess } from '../process.ts'
import type { Cannon as Methods, Shot, ShotResult } from './fire.ts'

/** autocannon in a process of its own. */
export interface Cannon {
  /** @throws when a request failed */
  fire(shot: Shot): Promise<ShotResult>
  close(): Promise<void>
}

export async function openCannon(): Promise<Cannon> {
  const cannon = await startProcess<Methods>(join(import.meta.dirname, 'fire.ts'))
  return {
    async fire(shot) {
      const result = await cannon.call('fire', shot)
      if (result.failures === 0 && result.requests > 0) return result
      throw new Error(
        `${shot.url} failed ${result.failures} of ${result.requests + result.failures} requests.`,
      )
    },
    close: () => cannon.stop(),
  }
}
