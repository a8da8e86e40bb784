import { machineTime } from '../machine-time.ts'
import type { Fault, World } from './fault.ts'

export interface Befallen {
  readonly kind: string
  readonly losesKeys: boolean
  readonly from: number
  readonly to: number
}

/** Remembers what befell when. */
export class FaultLog {
  readonly faults: Befallen[] = []

  async run({ kind, losesKeys = false, befall }: Fault, world: World): Promise<void> {
    const from = machineTime()
    await befall(world).finally(() => this.faults.push({ kind, losesKeys, from, to: machineTime() }))
  }
}
