import { observing } from '../../../../test/support/observing.js'
import { createTelemetry, observerOf } from './create-telemetry.js'
import type { ModelContext } from './context.js'
import { createLoadPermits } from './load/load-permits.js'
import { Auditor } from './telemetry/auditor.js'
import { History } from './telemetry/history.js'
import type { LargePayloads } from './telemetry/large-payloads.js'
import { silentObserver } from './telemetry/observer.js'

const log = { warn: () => {}, info: () => {} }
const source = { load: async () => [], mayBlameOneId: () => false }

it.each([
  [0, false],
  [0.001, true],
  [1, true],
])('compares stored rows with the source if there is an audit (rate %d: %p)', (rate, isAudited) => {
  const { telemetry } = createTelemetry({
    model: { name: 'Lot', source } as unknown as ModelContext<object, string>,
    observer: silentObserver.forModel('Lot'),
    history: new History(),
    largePayloads: {} as LargePayloads,
    log,
    permits: createLoadPermits().ofCache(),
    audit: { rate, fenceMs: 1_000 },
  })
  expect(telemetry.auditor instanceof Auditor).toBe(isAudited)
})

it.each([
  [new Error('no counter'), 'no counter'],
  ['no counter', 'no counter'],
])('warns once of an observer that throws %p, and goes on', (error, reason) => {
  const warnings: string[] = []
  const throwing = observing({
    reads: () => {
      throw error
    },
  })
  const observer = observerOf(throwing, { ...log, warn: (text: string) => void warnings.push(text) }, 'Lot')
  for (let i = 0; i < 2; i++) expect(() => observer.reads('store', 'hit', 1)).not.toThrow()
  expect(warnings).toEqual([expect.stringMatching(`^ModelCache "Lot": its observer throws, .*: ${reason}$`)])
})

it('refuses an observer that lacks an event, as one of an earlier version, and says which', () => {
  const earlier = { ...silentObserver.forModel('Lot'), audits: undefined }
  const observer = { ...silentObserver, forModel: () => earlier as never }
  const message = expect.stringMatching(
    /^model-cache: option "observer" is .*, and what forModel\('Lot', 'ofSeller'\) returns lacks audits\. Begin with /,
  ) as unknown
  expect(() => observerOf(observer, log, 'Lot', 'ofSeller')).toThrow(
    expect.objectContaining({ code: 'E_INVALID_OPTION', message }),
  )
})
