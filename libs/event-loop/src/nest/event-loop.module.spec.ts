import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import { Controller, Get, Logger } from '@nestjs/common'
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core'
import { ExpressAdapter } from '@nestjs/platform-express'
import { Test } from '@nestjs/testing'
import { Registry } from 'prom-client'
import { eventually } from '../../../../test/support/eventually.js'
import { type Block, BlockWatch } from '../block-watch.js'
import { LagSampler } from '../lag-sampler.js'
import { EventLoopPressure } from '../pressure.js'
import { EventLoopLagInterceptor } from './event-loop-lag.interceptor.js'
import { EventLoopPressureGuard } from './event-loop-pressure.guard.js'
import { EventLoopModule } from './event-loop.module.js'

@Controller()
class TimeController {
  static readonly later = { begun: Promise.withResolvers<void>(), end: Promise.withResolvers<string>() }

  @Get('time')
  time(): string {
    return 'now'
  }

  @Get('later')
  later(): Promise<string> {
    TimeController.later.begun.resolve()
    return TimeController.later.end.promise
  }
}

const compile = (imports: NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>) =>
  Test.createTestingModule({
    imports,
    controllers: [TimeController],
    providers: [
      { provide: APP_INTERCEPTOR, useExisting: EventLoopLagInterceptor },
      { provide: APP_GUARD, useExisting: EventLoopPressureGuard },
    ],
  }).setLogger({ log() {}, error() {}, warn() {} })

/** Starts an application without caches under the given pressure. */
async function start(value: number, module: ReturnType<typeof EventLoopModule.forRoot>) {
  const pressure = { value, utilization: 0, start() {}, stop() {} }
  const testing = await compile([module]).overrideProvider(EventLoopPressure).useValue(pressure).compile()
  const app = testing.createNestApplication(new ExpressAdapter(), { logger: false })
  await app.listen(0, '127.0.0.1')
  return { app, url: `${await app.getUrl()}/time` }
}

describe('EventLoopModule', () => {
  it('measures handlers of an application without caches', async () => {
    const registry = new Registry()
    const { app, url } = await start(0, EventLoopModule.forRoot({ registry, metricsPrefix: 'shop_' }))
    const watching = jest.spyOn(app.get(BlockWatch), 'start')
    expect(watching).not.toHaveBeenCalled()
    expect(await (await fetch(url)).text()).toBe('now')
    const series = 'shop_handler_event_loop_lag_seconds_count{handler="TimeController.time"} 1'
    await eventually(async () => (await registry.metrics()).includes(series))
    expect(await registry.metrics()).not.toContain('model_cache')
    expect(watching).toHaveBeenCalledTimes(1)
    await app.close()
  })

  it('keeps the sampler awake while a handler waits', async () => {
    const { app, url } = await start(0, EventLoopModule.forRoot({ registry: new Registry() }))
    const sampler = app.get(LagSampler)
    const answer = fetch(url.replace('time', 'later'))
    const { begun, end } = TimeController.later
    await begun.promise
    let pauses = 0
    sampler.onPause(() => pauses++)
    await delay(200)
    expect(pauses).toBe(0)
    const asleep = new Promise<void>((resolve) => sampler.onPause(resolve))
    end.resolve('then')
    expect(await (await answer).text()).toBe('then')
    await asleep
    await app.close()
  })

  it('refuses requests under pressure by the shedding options', async () => {
    const shedding = { atMost: 1, retryAfterSeconds: 3 }
    const { app, url } = await start(1, EventLoopModule.forRoot({ registry: new Registry(), shedding }))
    const response = await fetch(url)
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '3'])
    await app.close()
  })

  it('refuses to be imported twice', async () => {
    const module = () => EventLoopModule.forRoot({ registry: new Registry() })
    const testing = await compile([
      module(),
      { ...module(), module: class Other {}, imports: [module()] },
    ]).compile()
    await expect(testing.init()).rejects.toMatchObject({ code: 'E_DUPLICATE_ROOT' })
    // Nest 11 throws the error again.
    await testing.close().catch(() => {})
  })

  it('takes options from a factory', async () => {
    const registry = new Registry()
    const { app } = await start(0.25, EventLoopModule.forRootAsync({ useFactory: () => ({ registry }) }))
    expect(await registry.metrics()).toContain('event_loop_pressure_ratio 0.25')
    await app.close()
  })

  it.each([undefined, null, 'registry'])('refuses a factory that returns %j', (options) => {
    const compiled = compile([EventLoopModule.forRootAsync({ useFactory: () => options as never })]).compile()
    return expect(compiled).rejects.toMatchObject({
      code: 'E_INVALID_OPTION',
      message: expect.stringMatching(
        /^@model-cache\/event-loop: the options of EventLoopModule are .*; expected an object\. Have the factory of/,
      ) as string,
    })
  })

  it('refuses invalid options by their names', () => {
    const compiled = compile([EventLoopModule.forRoot({ resolutionMs: 5_000 })]).compile()
    return expect(compiled).rejects.toThrow('option "resolutionMs" is 5000; expected milliseconds')
  })
})

describe('the parts that EventLoopModule starts and stops', () => {
  class Lots {
    all(): void {}
  }
  let calls: string[]
  let classes: unknown[]
  let tell: (block: Block) => void
  beforeEach(() => ([calls, classes] = [[], []]))

  const part = (name: string) => ({
    start: () => void calls.push(`${name} starts`),
    stop: () => void calls.push(`${name} stops`),
  })
  /** What Nest knows of an application: a controller, a class, a value and what a factory returns. */
  const modules = new Map([
    [
      'AppModule',
      {
        controllers: new Map([['TimeController', { metatype: TimeController }]]),
        providers: new Map<string, { metatype: unknown }>([
          ['Lots', { metatype: Lots }],
          ['VALUE', { metatype: undefined }],
          ['FACTORY', { metatype: () => 7 }],
        ]),
      },
    ],
  ])
  const open = (known: unknown = modules) =>
    new EventLoopModule(
      part('sampler') as never,
      part('pressure') as never,
      {
        ...part('watch'),
        addClass: (added: unknown) => void classes.push(added),
        onBlock: (listener: (block: Block) => void) => void (tell = listener),
      } as never,
      part('metrics') as never,
      known as never,
    )

  it('are all but the watch, which begins with the first handler', () => {
    open().onModuleInit()
    expect(calls).toEqual(['metrics starts', 'pressure starts', 'sampler starts'])
  })

  it('end with the application', async () => {
    await open().onApplicationShutdown()
    expect(calls.toSorted()).toEqual(['metrics stops', 'pressure stops', 'sampler stops', 'watch stops'])
  })

  it('know the classes of the application', () => {
    open().onModuleInit()
    expect(classes).toEqual([TimeController, Lots])
  })

  it('do not start in a second copy of Nest, which knows no modules', () => {
    expect(() => open(null)).toThrow(expect.objectContaining({ code: 'E_DUPLICATE_NEST' }))
  })

  it('log the first block of each holder', () => {
    const logged: string[] = []
    Logger.overrideLogger({ log() {}, error() {}, warn: (message: string) => void logged.push(message) })
    try {
      open().onModuleInit()
      for (const holder of ['Lots.all', 'none', 'Lots.all', 'none'])
        tell({ holder, seconds: 0.1234, at: 'all (lots.ts:7:1)', stack: [] })
    } finally {
      Logger.overrideLogger(false)
    }
    expect(logged.map((line) => line.replace(/ Further .*/, ''))).toEqual([
      'The event loop was blocked for 123 ms by Lots.all, in all (lots.ts:7:1).',
      'The event loop was blocked for 123 ms by work that no handler started, in all (lots.ts:7:1).',
    ])
  })
})
