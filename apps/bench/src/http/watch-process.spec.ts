import { setTimeout as sleep } from 'node:timers/promises'
import { cpuTime } from '../measure/cpu-time.ts'
import { collectGarbage } from '../measure/collect-garbage.ts'
import { watchProcess } from './watch-process.ts'

describe('watchProcess', () => {
  it('tells a process that works from one that waits', async () => {
    const stopWaiting = watchProcess()
    await sleep(60)
    const waiting = stopWaiting()

    const stopWorking = watchProcess()
    const [from, cpuFrom] = [performance.now(), cpuTime()]
    while (cpuTime() < cpuFrom + 60);
    const tookMs = performance.now() - from
    const working = stopWorking()

    expect(waiting.loopIdle).toBeGreaterThan(0)
    expect(working.loopIdle).toBeCloseTo(0)
    expect(working.loopMaxMs).toBeGreaterThanOrEqual(tookMs * 0.99)
    expect(working.cpuMs).toBeGreaterThanOrEqual(60)
  })

  it('sees collections of garbage', async () => {
    const stop = watchProcess()
    collectGarbage()
    await sleep(5)
    expect(stop().longestGcMs).toBeGreaterThan(0)
  })
})
