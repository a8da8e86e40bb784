import { pbkdf2, pbkdf2Sync } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, stat, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { runInThisContext } from 'node:vm'
import { eventually } from '../../../test/support/eventually.js'
import { type Block, BlockWatch } from './block-watch.js'
import { LagSampler } from './lag-sampler.js'

/** Blocks for this much processor time, since the watch cannot run during pauses of a busy machine either. */
function block(ms: number): void {
  const from = process.cpuUsage()
  const usedMs = () => (process.cpuUsage(from).user + process.cpuUsage(from).system) / 1_000
  while (usedMs() < ms);
}

describe('BlockWatch', () => {
  let sampler: LagSampler
  let watch: BlockWatch
  let blocks: Block[]
  beforeEach(async () => {
    sampler = new LagSampler()
    watch = new BlockWatch(sampler)
    blocks = []
    watch.onBlock((block) => blocks.push(block))
    sampler.start()
    watch.start()
    // Its thread needs a processor until it has started.
    await delay(150)
    for (let i = 0; i < 20 && named().length === 0; i++) {
      watch.run('warm-up', () => block(200))
      await delay(30)
    }
    blocks.length = 0
  })
  afterEach(async () => {
    sampler.stop()
    await watch.stop()
  })

  it('has a thread that loads nothing of what NODE_OPTIONS has the process load', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'block-watch-'))
    const [agent, loaded] = ['agent.cjs', 'loaded'].map((name) => join(directory, name)) as [string, string]
    writeFileSync(agent, `require('node:fs').writeFileSync(${JSON.stringify(loaded)}, '')`)
    // That of a test is a copy, which threads do not get.
    const { env } = runInThisContext('process') as NodeJS.Process
    const { NODE_OPTIONS: before = '' } = env
    env['NODE_OPTIONS'] = `--require=${agent}`
    const another = new BlockWatch(sampler)
    another.onBlock((block) => blocks.push(block))
    try {
      another.start()
    } finally {
      env['NODE_OPTIONS'] = before
    }
    await watch.stop()
    await eventually(async () => {
      another.run('guilty', () => block(200))
      await delay(30)
      return holders().includes('guilty')
    })
    await another.stop()
    expect(existsSync(loaded)).toBe(false)
    rmSync(directory, { recursive: true })
  })

  /** Blocks with a holder: on a busy machine an idle loop may be kept from running, which is a block without one. */
  const named = (): Block[] => blocks.filter(({ holder }) => holder !== 'none')
  const holders = (): string[] => named().map(({ holder }) => holder)

  it('names the holder that blocks after an await, not those that wait meanwhile', async () => {
    const innocent = async () => {
      for (let i = 0; i < 20; i++) await delay(10)
    }
    const guilty = async () => {
      await delay(20)
      block(400)
      await delay(1)
    }
    await Promise.all([
      watch.run('before', innocent),
      watch.run('guilty', guilty),
      watch.run('after', innocent),
    ])
    expect(holders()).toEqual(['guilty'])
    expect(named()[0]!.seconds).toBeGreaterThan(0.4 * 0.9)
    expect(named()[0]!.at).toMatch(/^\w+ \(.*block-watch\.spec\.ts.*:\d+:\d+\)$/)
  })

  it('names the holder of a block in native code, which cannot be interrupted', async () => {
    const innocent = () => delay(5)
    const guilty = async () => {
      await delay(1)
      pbkdf2Sync('a', 'b', 1_500_000, 32, 'sha256')
      await delay(1)
    }
    await Promise.all([watch.run('before', innocent), watch.run('guilty', guilty)])
    await delay(30)
    expect(holders()).toContain('guilty')
    const [longest] = named().toSorted((a, b) => b.seconds - a.seconds)
    expect(longest!.holder).toBe('guilty')
  })

  it('does not format a stack within the code that it interrupts', async () => {
    const { prepareStackTrace } = Error
    let [isBlocked, texts, inTheMidst] = [false, 0, 0]
    Error.prepareStackTrace = (error, sites) => {
      texts++
      if (isBlocked) inTheMidst++
      return `${String(error)}\n${sites.map((site) => `    at ${String(site)}`).join('\n')}`
    }
    try {
      await watch.run('guilty', async () => {
        isBlocked = true
        block(400)
        isBlocked = false
        await delay(30)
      })
    } finally {
      Error.prepareStackTrace = prepareStackTrace
    }
    expect(holders()).toEqual(['guilty'])
    expect(texts).toBeGreaterThan(0)
    expect(inTheMidst).toBe(0)
  })

  describe('after an idle time', () => {
    const asleep = () => new Promise<void>((resolve) => sampler.onPause(resolve))

    it('names a handler that blocks in the callback that starts it', async () => {
      await asleep()
      // Its callback comes from a thread, and is the first that the loop runs.
      await new Promise<void>((resolve) => {
        stat('.', () => {
          watch.run('guilty', () => block(400))
          resolve()
        })
      })
      await delay(30)
      expect(holders()).toEqual(['guilty'])
    })

    it('names a handler that blocks in the callback that it waited for', async () => {
      const guilty = async () => {
        await promisify(pbkdf2)('a', 'b', 500_000, 32, 'sha256')
        block(400)
        await delay(1)
      }
      await watch.run('guilty', guilty)
      await delay(30)
      expect(holders()).toEqual(['guilty'])
    })

    it('reports a block that no handler has begun, and which nothing could interrupt', async () => {
      await asleep()
      await new Promise<void>((resolve) => {
        stat('.', () => {
          block(300)
          resolve()
        })
      })
      await delay(30)
      expect(Math.max(...blocks.map(({ seconds }) => seconds))).toBeGreaterThan(0.3 * 0.9)
      expect(holders()).toEqual([])
    })
  })

  it('does not mistake stopped sampling for a block, and names blocks after it resumes', async () => {
    sampler.stop()
    await watch.run('innocent', () => delay(300))
    sampler.start()
    await delay(30)
    expect(holders()).toEqual([])
    await watch.run('guilty', async () => {
      await delay(20)
      block(300)
      await delay(30)
    })
    expect(holders()).toEqual(['guilty'])
  })

  it('does not interrupt a loop that is not blocked, even with the shortest nameBlocksFromMs', async () => {
    const eager = new BlockWatch(sampler, { nameBlocksFromMs: 20 })
    const count = { asked: 0, explained: 0 }
    eager.addInner('counted', () => {
      count.asked++
      return false
    })
    eager.start()
    try {
      // Its thread needs a processor until it has started.
      await delay(150)
      for (let i = 0; i < 20 && count.asked === 0; i++) {
        block(200)
        await delay(30)
      }
      count.asked = 0
      let sampledAtMs = performance.now()
      // Looks are 30 ms apart; an interruption means that there was no sample between two of them.
      const end = sampler.onSample((_, atMs) => {
        count.explained += Math.floor((atMs - sampledAtMs) / 29)
        sampledAtMs = atMs
      })
      await delay(600)
      end()
    } finally {
      await eager.stop()
    }
    // None on an idle machine; a busy one may keep the loop from running, which is also a block.
    expect(count.asked).toBeLessThanOrEqual(count.explained)
  })
})
