import { jest } from '@jest/globals'
import { Logger } from '@nestjs/common'
import { recordingAdapter, type Sent } from '../../../../test/support/recording-adapter.js'
import { InspectionError } from '../inspection-error.js'
import { Responder } from './responder.js'

function open() {
  const sent: Sent = { headers: {} }
  const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {})
  return { error, responder: new Responder(recordingAdapter()), sent }
}

const isolated = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
}

describe('a response', () => {
  afterEach(() => jest.restoreAllMocks())

  it('has headers that isolate the page, and its own, which count', () => {
    const { responder, sent } = open()
    responder.send(sent, {
      type: 'text/css',
      body: 'a{}',
      headers: { etag: '"1"', 'cache-control': 'no-cache' },
    })
    expect(sent).toEqual({
      headers: { ...isolated, 'content-type': 'text/css', etag: '"1"', 'cache-control': 'no-cache' },
      body: 'a{}',
      status: 200,
    })
  })

  it.each([
    ['unknown_cache', 404, undefined],
    ['too_many_requests', 429, '1'],
  ] as const)('to a request that cannot be answered says why (%s)', (code, status, retryAfter) => {
    const { error, responder, sent } = open()
    responder.sendError(sent, new InspectionError(code, status, 'the reason'))
    expect(sent).toMatchObject({ body: JSON.stringify({ error: { code, message: 'the reason' } }), status })
    expect(sent.headers['retry-after']).toBe(retryAfter)
    expect(Object.keys(sent.headers).includes('retry-after')).toBe(retryAfter !== undefined)
    expect(error).not.toHaveBeenCalled()
  })

  it('to a defect says nothing of it, and the log has its class and its frames', () => {
    const { error, responder, sent } = open()
    const defect = new TypeError('secret\n  at the start of a value')
    responder.sendError(sent, defect)
    expect(sent.status).toBe(500)
    expect(JSON.parse(sent.body!)).toEqual({
      error: {
        code: 'internal_error',
        message: expect.stringContaining('The log of the process has the error'),
      },
    })
    const [line] = error.mock.calls[0] as unknown as [string]
    const [first, ...frames] = line.split('\n')
    expect(first).toBe('The inspector failed with TypeError.')
    expect(frames).toEqual(defect.stack!.split('\n').filter((frame) => frame.startsWith('    at ')))
    expect(frames.length).toBeGreaterThan(0)
    expect(line).not.toContain('secret')
    expect(line).not.toContain('value')
  })

  it.each([
    [Object.assign(new RangeError('secret'), { stack: undefined }), 'The inspector failed with RangeError.'],
    ['secret', 'The inspector failed with a string.'],
  ])('to a defect without a stack has a log of one line', (defect, line) => {
    const { error, responder, sent } = open()
    responder.sendError(sent, defect)
    expect(error.mock.calls).toEqual([[line]])
  })
})
