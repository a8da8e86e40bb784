import { pbkdf2Sync } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Block, BlockWatch } from './block-watch.js'
import { LagSampler } from './lag-sampler.js'

/** For so much processor time: in the pauses of a busy machine the watch cannot look either. */
function block(ms: number): void {
  const from = process.cpuUsage()
  const usedMs = () => (process.cpuUsage(from).user + process.cpuUsage(from).system) / 1_000
  while (usedMs() < ms);
}

describe('the watch for blocks', () => {
  let sampler: LagSampler
  let watch: BlockWatch
  let blocks: Block[]
  beforeEach(async () => {
    sampler = new LagSampler()
    watch = new BlockWatch(sampler)
    blocks = []
    watch.onBlock((told) => blocks.push(told))
    sampler.start()
    watch.start()
    // Its thread has started when it can name a block.
    for (let i = 0; i < 20 && blocks.length === 0; i++) {
      watch.run('warm-up', () => block(200))
      await delay(30)
    }
    blocks.length = 0
  })
  afterEach(async () => {
    sampler.stop()
    await watch.stop()
  })

  const holders = (): string[] => blocks.map(({ holder }) => holder)

  it('names who blocks after waiting, among others that wait beside it', async () => {
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
    expect(blocks[0]!.seconds).toBeGreaterThan(0.4 * 0.9)
    expect(blocks[0]!.at).toMatch(/block-watch\.spec\.ts:(9|10):\d+/)
  })

  it('names who is at work in native code that nothing can interrupt', async () => {
    const innocent = () => delay(5)
    const guilty = async () => {
      await delay(1)
      pbkdf2Sync('a', 'b', 1_500_000, 32, 'sha256')
      await delay(1)
    }
    await Promise.all([watch.run('before', innocent), watch.run('guilty', guilty)])
    await delay(30)
    expect(holders()).toContain('guilty')
    const total = blocks.reduce((sum, { seconds }) => sum + seconds, 0)
    const its = blocks.find(({ holder }) => holder === 'guilty')!.seconds
    expect(its / total).toBeGreaterThan(0.7)
  })

  it('makes no text of a stack in the midst of what it interrupts, as that may disturb it', async () => {
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

  it('divides a block among those who made it together', async () => {
    await Promise.all([
      watch.run('one', async () => {
        await Promise.resolve()
        block(300)
      }),
      watch.run('other', async () => {
        await Promise.resolve()
        block(300)
      }),
    ])
    await delay(30)
    expect(holders().toSorted()).toEqual(['one', 'other'])
    const [a, b] = blocks.map(({ seconds }) => seconds)
    expect(a! / (a! + b!)).toBeGreaterThan(0.3)
    expect(a! / (a! + b!)).toBeLessThan(0.7)
  })

  it('tells inner work from that of the handler in whose midst it runs, and what no handler began', async () => {
    let isInner = false
    watch.addInner('inner', () => isInner)
    await watch.run('handler', async () => {
      await Promise.resolve()
      isInner = true
      block(300)
      isInner = false
      await delay(30)
    })
    block(300)
    await delay(30)
    expect(holders()).toEqual(['inner', 'none'])
  })

  it('does not take the end of the samples for a block, and names those after they go on', async () => {
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

  it('does not interrupt a loop that is not blocked, however short the blocks are that it is to name', async () => {
    const eager = new BlockWatch(sampler, { nameBlocksFromMs: 20 })
    const count = { asked: 0, samples: 0 }
    eager.addInner('counted', () => {
      count.asked++
      return false
    })
    eager.start()
    try {
      // Its thread has started when it asks.
      for (let i = 0; i < 20 && count.asked === 0; i++) {
        block(200)
        await delay(30)
      }
      count.asked = 0
      const end = sampler.onSample(() => count.samples++)
      await delay(600)
      end()
    } finally {
      await eager.stop()
    }
    expect(count.asked).toBeLessThan(count.samples / 4)
  })

  it('says nothing of short blocks', async () => {
    await watch.run('quick', async () => {
      for (let i = 0; i < 20; i++) {
        block(10)
        await delay(12)
      }
    })
    expect(holders().filter((holder) => holder === 'quick')).toEqual([])
  })

  it.each([1, -1, 60_001, Number.NaN])('refuses to name blocks from %d ms', (nameBlocksFromMs) => {
    expect(() => new BlockWatch(sampler, { nameBlocksFromMs })).toThrow(
      `option "eventLoop.nameBlocksFromMs" is ${nameBlocksFromMs}; expected milliseconds from 20 to 60000, or 0`,
    )
  })
})
