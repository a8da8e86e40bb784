import { jest } from '@jest/globals'
import { Logger } from '@nestjs/common'
import { recordingAdapter, type Sent } from '../../../../test/support/recording-adapter.js'
import type { Inspection } from '../inspection.js'
import type { Inspector } from '../inspector.js'
import type { InspectorOptions } from '../inspector.options.js'
import { Admission, type AdmissionOptions } from './admission.js'
import { InspectorApi } from './api.controller.js'
import { Responder } from './responder.js'
import type { HttpRequest } from './verify-origin.js'

type Method = Exclude<keyof Inspection, symbol>
type Setting = {
  inspection?: Inspection | undefined
  options?: InspectorOptions
  admission?: AdmissionOptions
}

const inspectionOf = (own: object = {}) =>
  ({
    caches: async () => ({}),
    invalidate: async (cache: object, target: object) => ({ cache, target, isPending: false }),
    ...own,
  }) as unknown as Inspection

function open(setting: Setting = {}) {
  const { admission, options = {} } = setting
  const inspection = 'inspection' in setting ? setting.inspection : inspectionOf()
  const log = jest.spyOn(Logger.prototype, 'log').mockImplementation(() => {})
  const api = new InspectorApi(
    { inspection } as Inspector,
    options,
    new Admission(admission),
    new Responder(recordingAdapter()),
  )
  const request = async (method: Method, query = '', { headers = {}, user = undefined as unknown } = {}) => {
    const response: Sent = { headers: {} }
    const isAction = method === 'invalidate'
    const sent = {
      method: isAction ? 'POST' : 'GET',
      headers: { ...(isAction && { 'x-model-cache-inspector': '1' }), ...headers },
      url: `/inspector/api/v1/${method}?${query}`,
      user,
    }
    await api[method](sent as HttpRequest, response)
    return { status: response.status, json: JSON.parse(response.body!) as { error: { code: string } } }
  }
  return { log, request }
}

describe('the API', () => {
  afterEach(() => jest.restoreAllMocks())

  it('logs an invalidation after it, with the user', async () => {
    const { log, request } = open()
    const query = 'cache=Lot&id=1'
    const cache = { name: 'Lot', root: null }
    expect(await request('invalidate', query, { user: { id: 'ada' } })).toEqual({
      status: 200,
      json: { cache, target: { id: '1' }, isPending: false },
    })
    expect(log.mock.calls).toEqual([['Inspector: "ada" invalidated the row "1" of ModelCache "Lot".']])
    const named = open({ options: { user: ({ headers }) => String(headers['x-user']) } })
    log.mockClear()
    await named.request('invalidate', 'cache=Lot&all=true', { headers: { 'x-user': 'grace' } })
    expect(log.mock.calls).toEqual([['Inspector: "grace" invalidated all rows of ModelCache "Lot".']])
  })

  it.each([undefined, null, ''])(
    'logs an invalidation of whom the option `user` takes for %j',
    async (user) => {
      const { log, request } = open({ options: { user: () => user as string | undefined } })
      expect(await request('invalidate', 'cache=Lot&id=1')).toMatchObject({ status: 200 })
      expect(log.mock.calls).toEqual([['Inspector: "unknown" invalidated the row "1" of ModelCache "Lot".']])
    },
  )

  it('waits for an asynchronous option `user`, and invalidates nothing if it rejects', async () => {
    const { log, request } = open({ options: { user: async () => 'grace' } })
    await request('invalidate', 'cache=Lot&id=1')
    expect(log.mock.calls).toEqual([['Inspector: "grace" invalidated the row "1" of ModelCache "Lot".']])
    log.mockClear()
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {})
    const user = () => Promise.reject(new TypeError('a defect'))
    const failing = open({ options: { user } })
    expect(await failing.request('invalidate', 'cache=Lot&id=1')).toMatchObject({ status: 500 })
    expect(log).not.toHaveBeenCalled()
  })

  it('does not log an invalidation that fails', async () => {
    const fail = async () => {
      throw new TypeError('a defect')
    }
    jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {})
    const { log, request } = open({ inspection: inspectionOf({ invalidate: fail }) })
    expect(await request('invalidate', 'cache=Lot&id=1')).toMatchObject({ status: 500 })
    expect(log).not.toHaveBeenCalled()
  })

  it('refuses everything until the application has started', async () => {
    const { request } = open({ inspection: undefined })
    for (const [method, query] of [
      ['caches', ''],
      ['row', 'cache=Lot&id=1'],
      ['invalidate', 'cache=Lot&id=1'],
    ] as const)
      expect(await request(method, query)).toMatchObject({
        status: 503,
        json: { error: { code: 'starting' } },
      })
  })

  it.each(['caches', 'processes', 'history', 'queries', 'row', 'entry', 'invalidate'] as const)(
    'answers %s in time',
    async (method) => {
      const never = () => new Promise(() => {})
      const { request } = open({
        inspection: inspectionOf({ [method]: never }),
        admission: { deadlineMs: 1 },
      })
      expect(
        await request(method, `cache=Lot${method === 'entry' ? '&lookup=a&key=b' : '&id=1'}`),
      ).toMatchObject({ status: 503, json: { error: { code: 'deadline_exceeded' } } })
    },
  )

  it('bounds the work for rows, entries and actions', async () => {
    const gate = Promise.withResolvers<object>()
    const inspection = inspectionOf({ row: () => gate.promise })
    const { request } = open({ inspection, admission: { maxAtOnce: 1, deadlineMs: 60_000 } })
    const first = request('row', 'cache=Lot&id=1')
    for (const [method, query] of [
      ['row', 'id=1'],
      ['entry', 'lookup=a&key=b'],
      ['invalidate', 'id=1'],
    ] as const)
      expect(await request(method, `cache=Lot&${query}`)).toMatchObject({
        status: 429,
        json: { error: { code: 'too_many_requests' } },
      })
    expect(await request('caches')).toMatchObject({ status: 200 })
    gate.resolve({ id: '1' })
    expect(await first).toMatchObject({ status: 200, json: { id: '1' } })
  })
})
