import { jest } from '@jest/globals'
import { Logger } from '@nestjs/common'
import type { HttpAdapterHost } from '@nestjs/core'
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js'
import type { EventLoopMetrics } from '../metrics/event-loop-metrics.js'
import { Shedding } from '../shedding.js'
import { EventLoopPressureGuard, NeverShed } from './event-loop-pressure.guard.js'

class Lots {
  all(): void {}
  @NeverShed()
  health(): void {}
}

@NeverShed()
class Probes {
  all(): void {}
}

const open = (value: number, options: ConstructorParameters<typeof Shedding>[0] = { atMost: 1 }) => {
  const pressure = { value }
  const shed: string[] = []
  const headers: unknown[][] = []
  const metrics = { countShed: (handler: string) => void shed.push(handler) } as EventLoopMetrics
  const host = { httpAdapter: { setHeader: (...header: unknown[]) => void headers.push(header) } }
  const guard = new EventLoopPressureGuard(
    pressure,
    new Shedding(options),
    metrics,
    host as unknown as HttpAdapterHost,
  )
  return { guard, pressure, shed, headers }
}
const call = (handler: () => void, owner: new () => object = Lots, args: unknown[] = [{}, 'a response']) =>
  new ExecutionContextHost(args, owner, handler)
const { all, health } = Lots.prototype
const reply = { header: () => {} }

/** Whether a request is refused for which the dice show this. */
const isRefused = (guard: EventLoopPressureGuard, at: number): boolean => {
  jest.spyOn(Math, 'random').mockReturnValue(at)
  try {
    return !guard.canActivate(call(all))
  } catch {
    return true
  }
}

describe('the guard against pressure', () => {
  let logged: string[]
  beforeEach(() => {
    logged = []
    const log = (level: string) => (message: string) => void logged.push(`${level}: ${message}`)
    Logger.overrideLogger({ log: log('log'), warn: log('warn'), error: log('error') })
  })
  afterEach(() => {
    Logger.overrideLogger(false)
    jest.restoreAllMocks()
  })

  it('refuses a request with 503 and the time after which to try again, and counts it', () => {
    const { guard, shed, headers } = open(1, { atMost: 1, retryAfterSeconds: 3 })
    const refused = { extensions: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 3 }, statusCode: 503 }
    expect(() => guard.canActivate(call(all))).toThrow(expect.objectContaining(refused))
    expect(headers).toEqual([['a response', 'Retry-After', '3']])
    expect(shed).toEqual(['Lots.all'])
  })

  it.each([
    ['Mercurius', { reply, req: { res: 'another' } }, reply],
    ['Mercurius, of a subscription over a WebSocket', { reply: { request: {} } }, undefined],
    ['Apollo', { req: { res: 'the response' } }, 'the response'],
    ['a driver without a request', {}, undefined],
    ['a driver without a context', undefined, undefined],
  ])('sets the header of a GraphQL response, if it has one (%s)', (_, context, response) => {
    const { guard, headers } = open(1)
    const query = call(all, Lots, [{}, { id: 1 }, context])
    query.setType('graphql')
    expect(() => guard.canActivate(query)).toThrow('The server is busy')
    expect(headers.map(([to]) => to)).toStrictEqual(response === undefined ? [] : [response])
  })

  it('never refuses handlers and classes that are exempt', () => {
    const { guard, shed } = open(1)
    expect(guard.canActivate(call(health))).toBe(true)
    expect(guard.canActivate(call(Probes.prototype.all, Probes))).toBe(true)
    expect(shed).toEqual([])
  })

  it('refuses the share that the pressure asks for', () => {
    const { guard } = open(0.75)
    expect([0, 0.49, 0.5, 0.9].map((at) => isRefused(guard, at))).toEqual([true, true, false, false])
    expect(isRefused(open(0.5).guard, 0)).toBe(false)
  })

  it('says once that it refuses requests, and once that it does not any more', () => {
    const { guard, pressure } = open(1)
    for (const value of [0.1, 1, 0.4, 1, 0.25, 0.1, 1]) {
      pressure.value = value
      isRefused(guard, 0)
    }
    expect(logged.map((line) => line.replace(/\. The metric .*/, ''))).toEqual([
      'warn: Requests are being refused: event-loop pressure is 1.00',
      'log: Requests are accepted again: event-loop pressure is 0.25.',
      'warn: Requests are being refused: event-loop pressure is 1.00',
    ])
  })

  it('does not start in a second copy of Nest, which has no adapter', () => {
    const [pressure, shedding, metrics] = [{ value: 0 }, new Shedding(), {} as EventLoopMetrics]
    const start = () => new EventLoopPressureGuard(pressure, shedding, metrics, undefined as never)
    expect(start).toThrow(expect.objectContaining({ code: 'E_DUPLICATE_NEST' }))
  })
})
