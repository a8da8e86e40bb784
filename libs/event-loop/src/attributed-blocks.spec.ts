import { setTimeout as delay } from 'node:timers/promises'
import { runInThisContext, Script } from 'node:vm'
import { jest } from '@jest/globals'
import { eventually } from '../../../test/support/eventually.js'
import { type ManualClock, manualClock } from '../../../test/support/manual-clock.ts'
import { type Block, BlockWatch, type BlockWatchOptions } from './block-watch.js'
import type { WatchedLoop } from './block-watch-worker.js'
import { LagSampler, type SampleListener } from './lag-sampler.js'

let clock: ManualClock
/** Those of a test. */
const opened: BlockWatch[] = []
beforeEach(() => (clock = manualClock()))
afterEach(async () => {
  jest.restoreAllMocks()
  for (const watch of opened.splice(0)) await watch.stop()
})

/** A watch whose samples and whose thread the test plays. */
function open(options: BlockWatchOptions = {}, resolutionMs = 20) {
  const sampleListeners = new Set<SampleListener>()
  const pauseListeners = new Set<() => void>()
  const counts = { holds: 0, wakes: 0, started: 0, ended: 0 }
  const sampler: Partial<LagSampler> = {
    resolutionMs,
    wake: () => void counts.wakes++,
    hold: () => void counts.holds++,
    release: () => void counts.holds--,
    onSample: (listener) => (sampleListeners.add(listener), () => sampleListeners.delete(listener)),
    onPause: (listener) => (pauseListeners.add(listener), () => pauseListeners.delete(listener)),
  }
  let watched: WatchedLoop | undefined
  const watch = new BlockWatch(sampler as LagSampler, options, (loop) => {
    counts.started++
    watched = loop
    return { terminate: async () => ++counts.ended }
  })
  opened.push(watch)
  const blocks: Block[] = []
  watch.onBlock((block) => blocks.push(block))
  watch.start()
  const expression = `process.getBuiltinModule('node:diagnostics_channel').channel('${watched?.channel}').publish()`
  return {
    watch,
    watched,
    blocks,
    counts,
    sampleListeners,
    pauseListeners,
    expression,
    /** What the thread does to a loop that is blocked. */
    look: (): void => void runInThisContext(expression),
    sample: (lagMs = 0): void => {
      for (const listener of sampleListeners) listener(lagMs / 1_000, performance.now())
    },
    pause: (): void => {
      for (const listener of pauseListeners) listener()
    },
    /** Holders and their milliseconds. */
    named: () => blocks.map(({ holder, seconds }) => [holder, Math.round(seconds * 1_000)]),
  }
}

describe('a block', () => {
  it('is attributed to the holder that each look finds, since the last one', () => {
    const { look, named, sample, watch } = open()
    clock.pass(1_000)
    sample()
    watch.run('one', () => {
      clock.pass(60)
      look()
      clock.pass(70)
      look()
    })
    watch.run('other', () => {
      clock.pass(50)
      look()
    })
    clock.pass(5)
    sample()
    expect(named()).toEqual([
      ['one', 130],
      ['other', 55],
    ])
  })

  it.each([
    [100, [['guilty', 100]]],
    [99, []],
  ])('of %d ms is named if it is long enough', (ms, expected) => {
    const { look, named, sample, watch } = open()
    sample()
    watch.run('guilty', () => {
      clock.pass(ms)
      look()
    })
    sample()
    expect(named()).toEqual(expected)
  })

  it('names holders with half of the least block, not those with less', () => {
    const { look, named, sample, watch } = open()
    sample()
    for (const [holder, ms] of [
      ['half', 50],
      ['little', 49],
      ['innocent', 0],
    ] as const)
      watch.run(holder, () => {
        clock.pass(ms)
        look()
      })
    clock.pass(1)
    look()
    sample()
    expect(named()).toEqual([['half', 50]])
  })

  it('counts from the last sample, and has nothing of the block before', () => {
    const { look, named, sample, watch } = open()
    sample()
    const block = (): void => {
      clock.pass(80)
      look()
    }
    watch.run('one', block)
    sample()
    watch.run('one', block)
    sample()
    expect(named()).toEqual([])
    watch.run('one', block)
    watch.run('one', block)
    sample()
    clock.pass(1_000)
    sample()
    expect(named()).toEqual([['one', 160]])
  })

  it('is of inner work while that runs, and of none without a holder', () => {
    const { look, named, sample, watch } = open()
    let isRunning = true
    watch.addInner('inner', () => isRunning)
    sample()
    watch.run('outer', () => {
      clock.pass(60)
      look()
    })
    isRunning = false
    clock.pass(60)
    look()
    sample()
    expect(named()).toEqual([
      ['inner', 60],
      ['none', 60],
    ])
  })

  it('is of the holder of another application of the process, as long as its watch runs', async () => {
    const { look, named, sample } = open()
    const other = open()
    const block = (): void => {
      clock.pass(100)
      look()
    }
    sample()
    other.watch.run('guilty', block)
    sample()
    await other.watch.stop()
    other.watch.run('guilty', block)
    sample()
    expect(named()).toEqual([
      ['guilty', 100],
      ['none', 100],
    ])
  })

  it('has one name in all applications of the process, whichever of them knows its holder', () => {
    class Lots {
      all(call: () => void): void {
        call()
      }
    }
    class Prices {
      of(call: () => void): void {
        call()
      }
    }
    const [first, second] = [open(), open()]
    let isInner = false
    first.watch.addClass(Lots)
    for (const each of [Lots, Prices]) second.watch.addClass(each)
    second.watch.addInner('inner', () => isInner)
    const look = (): void => [first, second].forEach((each) => each.look())
    const block = (call: () => void): void => {
      clock.pass(100)
      call()
      for (const each of [first, second]) each.sample()
    }
    for (const each of [first, second]) each.sample()
    block(() => new Lots().all(() => new Prices().of(look)))
    block(() => first.watch.run('one', () => second.watch.run('other', look)))
    isInner = true
    block(() => first.watch.run('one', look))
    const names = [
      ['Prices.of', 100],
      ['one', 100],
      ['inner', 100],
    ]
    expect([first.named(), second.named()]).toEqual([names, names])
  })

  it('is measured, but not named, if its holder is unknown', () => {
    const { look, named, sample, watch } = open()
    watch.addInner('failing', () => {
      throw new Error('no')
    })
    sample()
    clock.pass(200)
    expect(look).not.toThrow()
    sample()
    expect(named()).toEqual([])
  })

  it('reaches every listener, also if one throws', () => {
    const { blocks, look, sample, watch } = open()
    const others: Block[] = []
    watch.onBlock(() => {
      throw new Error('the log is full')
    })
    watch.onBlock((block) => others.push(block))
    sample()
    clock.pass(100)
    look()
    sample()
    expect(others).toHaveLength(1)
    expect(others).toEqual(blocks)
  })
})

describe('the first callback after an idle time', () => {
  const reported = [{ holder: 'none', seconds: 0.1, at: 'the first callback after an idle time', stack: [] }]
  it.each([
    ['is reported if it is a block', true, 100, reported],
    ['is not reported if it is short', true, 99, []],
    ['is not reported if the sampler was awake: a look would have found it', false, 100, []],
  ])('%s', (_, isAsleep, lagMs, expected) => {
    const { blocks, pause, sample } = open()
    if (isAsleep) pause()
    sample(lagMs)
    expect(blocks).toEqual(expected)
    sample(100)
    expect(blocks).toEqual(expected)
  })

  it('is named if a look finds it', () => {
    const { look, named, pause, sample, watch } = open()
    pause()
    watch.run('guilty', () => {
      sample()
      clock.pass(150)
      look()
    })
    sample(150)
    expect(named()).toEqual([['guilty', 150]])
  })
})

describe('methods of classes', () => {
  class Lots {
    all(look: () => void): void {
      look()
    }
    helped(look: () => void): void {
      helper.call(this, look)
    }
    deep(look: () => void, depth = 40): void {
      if (depth === 0) look()
      else descend(() => this.deep(look, 0), depth)
    }
  }
  function helper(this: unknown, look: () => void): void {
    look()
  }
  function descend(end: () => void, depth: number): void {
    if (depth === 0) end()
    else descend(end, depth - 1)
  }
  const lots = new Lots()
  const found = (call: (look: () => void) => void): unknown => {
    const { look, named, sample, watch } = open()
    watch.addClass(Lots)
    sample()
    clock.pass(100)
    call(look)
    sample()
    return named()[0]?.[0]
  }

  it('are named where no holder runs', () => {
    expect(found((look) => lots.all(look))).toBe('Lots.all')
  })

  it('are named by the innermost one', () => {
    expect(found((look) => lots.helped(() => lots.all(look)))).toBe('Lots.all')
  })

  it('are named for functions that they call, and far below them', () => {
    expect(found((look) => lots.helped(look))).toBe('Lots.helped')
    expect(found((look) => lots.all(() => descend(look, 40)))).toBe('Lots.all')
  })

  it('are not named for classes that are not added', () => {
    class Bids {
      all(look: () => void): void {
        look()
      }
    }
    expect(found((look) => new Bids().all(look))).toBe('none')
  })

  it('are not named if the stack cannot be read, and leave its settings as they were', () => {
    const prepared = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace')
    const { stackTraceLimit } = Error
    Object.defineProperty(Error, 'prepareStackTrace', {
      configurable: true,
      get: () => undefined,
      set: () => {},
    })
    try {
      expect(found((look) => lots.all(look))).toBe('none')
    } finally {
      delete (Error as { prepareStackTrace?: unknown }).prepareStackTrace
      if (prepared) Object.defineProperty(Error, 'prepareStackTrace', prepared)
    }
    expect(found((look) => lots.all(look))).toBe('Lots.all')
    expect(Error.stackTraceLimit).toBe(stackTraceLimit)
    expect(Error.prepareStackTrace).toBe(prepared?.value)
  })
})

describe('the stack of a block', () => {
  function blocking(look: () => void): void {
    clock.pass(100)
    look()
  }
  function descend(end: () => void, depth: number): void {
    if (depth === 0) end()
    else descend(end, depth - 1)
  }

  it('has the running functions outside of Node, innermost first', () => {
    const { blocks, look, sample } = open()
    sample()
    descend(() => blocking(look), 2)
    sample()
    const [{ at, stack }] = blocks as [Block]
    expect(at).toBe(stack[0])
    // Those of the interruption itself are above it.
    expect(at).toMatch(/^\w.* \(.*attributed-blocks\.spec\.ts.*:\d+:\d+\)$/)
    expect(stack.join('\n')).not.toMatch(/node:|block-watch\.ts|^\s|^at /m)
    const names = stack.map((frame) => frame.split(' ')[0])
    const own = names.filter((name) => name === 'blocking' || name === 'descend')
    expect([...new Set(own)]).toEqual(['blocking', 'descend'])
  })

  it('has at most 32 of them', () => {
    const { blocks, look, sample } = open()
    const { stackTraceLimit } = Error
    sample()
    descend(() => blocking(look), 50)
    sample()
    expect(blocks[0]!.stack).toHaveLength(32)
    expect(Error.stackTraceLimit).toBe(stackTraceLimit)
  })

  it('has those that await what blocks, like others', async () => {
    const { blocks, look, sample, watch } = open()
    sample()
    const awaited = async (): Promise<void> => {
      await Promise.resolve()
      blocking(look)
    }
    const awaiting = async (): Promise<void> => {
      await awaited()
    }
    await watch.run('guilty', awaiting)
    sample()
    expect(blocks[0]!.stack).toContainEqual(expect.stringMatching(/^awaiting \(/))
  })

  it('may be in Node alone', async () => {
    const { blocks, expression, sample } = open()
    const script = new Script(expression)
    sample()
    clock.pass(100)
    setImmediate(script.runInThisContext.bind(script))
    await new Promise(setImmediate)
    sample()
    expect(blocks).toEqual([{ holder: 'none', seconds: 0.1, at: 'a place in Node itself', stack: [] }])
  })

  it.each<readonly [string, () => unknown]>([
    ['returns no text', () => undefined],
    [
      'throws',
      () => {
        throw new Error('no text')
      },
    ],
  ])('is unknown if Error.prepareStackTrace %s, and that of the next block is not', (_, prepare) => {
    const { blocks, look, sample } = open()
    const { prepareStackTrace } = Error
    sample()
    blocking(look)
    Error.prepareStackTrace = prepare
    try {
      sample()
    } finally {
      Error.prepareStackTrace = prepareStackTrace
    }
    expect(blocks).toEqual([{ holder: 'none', seconds: 0.1, at: 'an unknown place', stack: [] }])
    blocking(look)
    sample()
    expect(blocks).toHaveLength(2)
    expect(blocks[1]!.at).toMatch(/attributed-blocks\.spec\.ts/)
  })
})

describe('a call for a holder', () => {
  it('wakes the sampler, and holds it until a promise settles', async () => {
    const { counts, watch } = open()
    expect(watch.run('holder', () => 7)).toBe(7)
    expect(counts).toMatchObject({ wakes: 1, holds: 0 })
    const settled = watch.run('holder', () => Promise.resolve(8))
    expect(counts).toMatchObject({ wakes: 2, holds: 1 })
    expect(await settled).toBe(8)
    expect(counts.holds).toBe(0)
    const failed = watch.run('holder', () => Promise.reject(new Error('no')))
    expect(counts.holds).toBe(1)
    await expect(failed).rejects.toThrow('no')
    expect(counts.holds).toBe(0)
  })
})

describe('the thread', () => {
  it.each([
    [{}, 20, 40],
    [{ nameBlocksFromMs: 60_000 }, 20, 24_000],
    [{ nameBlocksFromMs: 20 }, 20, 30],
    [{}, 50, 75],
  ])(
    'looks as often as %j asks for at samples of %d ms: each %d ms',
    (options, resolutionMs, lookEveryMs) => {
      expect(open(options, resolutionMs).watched!.lookEveryMs).toBe(lookEveryMs)
    },
  )

  it('starts once, and not without a length of blocks', () => {
    const { counts, watch } = open()
    watch.start()
    expect(counts.started).toBe(1)
    const off = open({ nameBlocksFromMs: 0 })
    expect(off.counts.started).toBe(0)
    expect(off.sampleListeners.size).toBe(0)
  })

  it('ends with the watch, which hears no more samples and does not start again', async () => {
    const { counts, look, named, pauseListeners, sample, sampleListeners, watch } = open()
    const [tell] = sampleListeners
    await watch.stop()
    watch.start()
    expect(counts).toMatchObject({ started: 1, ended: 1 })
    expect([sampleListeners.size, pauseListeners.size]).toEqual([0, 0])
    clock.pass(200)
    look()
    sample()
    tell!(0.2, performance.now())
    expect(named()).toEqual([])
  })

  it('need not have started for the watch to stop', async () => {
    const { counts, watch } = open({ nameBlocksFromMs: 0 })
    await watch.stop()
    expect(counts.ended).toBe(0)
  })

  it('sees the loop go on, sleeps while the sampler does, and is woken by the next sample', async () => {
    const { pause, sample, watched } = open()
    const { beat } = watched!
    sample()
    sample()
    expect([...beat]).toEqual([2, 1])
    pause()
    expect([...beat]).toEqual([2, 0])
    const woken = Atomics.waitAsync(beat, 1, 0, 60_000)
    sample()
    expect([...beat]).toEqual([3, 1])
    expect(await Promise.race([woken.value, delay(10_000, 'asleep', { ref: false })])).toBe('ok')
  })
})

it.each([0, 20, 60_000])('a watch may name blocks from %d ms', (nameBlocksFromMs) => {
  expect(() => open({ nameBlocksFromMs })).not.toThrow()
})

it.each([1, -1, 19, 60_001, Number.NaN])('a watch refuses to name blocks from %d ms', (nameBlocksFromMs) => {
  expect(() => open({ nameBlocksFromMs })).toThrow(
    `option "nameBlocksFromMs" is ${nameBlocksFromMs}; expected milliseconds from 20 to 60000, or 0`,
  )
})

it('a watch starts a thread that finds a holder, and does not keep the process alive', async () => {
  jest.restoreAllMocks()
  const ports = () => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
  const others = ports()
  const sampler = new LagSampler()
  const watch = new BlockWatch(sampler, { nameBlocksFromMs: 20 })
  const holders = new Set<string>()
  watch.onBlock(({ holder }) => holders.add(holder))
  sampler.start()
  watch.start()
  try {
    // The thread needs a processor until it has started.
    await eventually(() => {
      const fromMs = performance.now()
      watch.run('guilty', () => {
        while (performance.now() < fromMs + 60);
      })
      return holders.has('guilty')
    })
    expect(ports()).toBe(others)
  } finally {
    sampler.stop()
    await watch.stop()
  }
})
