import { setTimeout as sleep } from 'node:timers/promises'
import { collectGarbage } from '../measure/collect-garbage.ts'
import { watchProcess } from './watch-process.ts'

function block(ms: number): void {
  const start = performance.now()
  while (performance.now() < start + ms);
}

describe('watchProcess', () => {
  it('tells a process that works from one that waits', async () => {
    const stopWaiting = watchProcess()
    await sleep(60)
    const waiting = stopWaiting()
    const stopWorking = watchProcess()
    await sleep(5)
    block(60)
    await sleep(5)
    const working = stopWorking()
    expect(waiting.loopIdle).toBeGreaterThan(working.loopIdle)
    expect(waiting.loopMaxMs).toBeLessThan(working.loopMaxMs)
    expect(waiting.cpuMs).toBeLessThan(working.cpuMs)
  })

  it('sees collections of garbage', async () => {
    const stop = watchProcess()
    collectGarbage()
    await sleep(5)
    expect(stop().longestGcMs).toBeGreaterThan(0)
  })
})
