import { cacheSettings } from './cache-settings.js'

it('takes the default of each option that is left out', () => {
  expect(cacheSettings({})).toMatchObject({
    namespace: 'mc',
    buckets: 64,
    maxNotFoundBytes: 4_194_304,
    audit: { rate: 0, fenceMs: 10_000 },
  })
})

it('audits rows that no write can still be changing', () => {
  expect(cacheSettings({ audit: { rate: 0.5 }, consistency: { fenceMs: 3_000 } }).audit).toEqual({
    rate: 0.5,
    fenceMs: 3_000,
  })
})

it.each([
  { namespace: 'a_b.c:d-1' },
  { buckets: 1 },
  { buckets: 1_024 },
  { maxNotFoundBytes: 0 },
  { audit: { rate: 0 } },
  { audit: { rate: 1 } },
])('takes %j', (options) => {
  expect(() => cacheSettings(options)).not.toThrow()
})

it.each([
  [{ namespace: '' }, 'option "namespace" is ""; expected letters, digits'],
  [{ namespace: '{a' }, 'option "namespace" is "{a"'],
  [{ namespace: 'a}' }, 'option "namespace" is "a}"'],
  [{ namespace: null as never }, 'option "namespace" is null'],
  [{ namespace: 5 as never }, 'option "namespace" is 5'],
  [{ buckets: 3 }, 'option "buckets" is 3; expected a power of two, from 1 to 1024'],
  [{ buckets: 0 }, 'option "buckets" is 0'],
  [{ buckets: 0.5 }, 'option "buckets" is 0.5'],
  [{ buckets: 2_048 }, 'option "buckets" is 2048'],
  [{ buckets: '8' as never }, 'option "buckets" is "8"'],
  [{ maxNotFoundBytes: -1 }, 'option "maxNotFoundBytes" is -1'],
  [{ maxNotFoundBytes: 0.5 }, 'option "maxNotFoundBytes" is 0.5'],
  [{ audit: { rate: -0.1 } }, 'option "audit.rate" is -0.1; expected a part of all hits'],
  [{ audit: { rate: 1.1 } }, 'option "audit.rate" is 1.1'],
  [{ audit: { rate: Number.NaN } }, 'option "audit.rate" is NaN'],
])('refuses %j', (options, message) => {
  expect(() => cacheSettings(options)).toThrow(expect.objectContaining({ code: 'E_INVALID_OPTION' }))
  expect(() => cacheSettings(options)).toThrow(message)
})
