import { ConfigurationError } from 'model-cache'
import { missingCachesError, unguardedInspectorError } from './errors.js'

it.each([
  [missingCachesError(), 'E_MISSING_CACHES', 'Import ModelCacheModule.forRoot('],
  [unguardedInspectorError(), 'E_UNGUARDED_INSPECTOR', '`guards: [AdminGuard]`'],
])('an error that stops the start has a code, and a remedy: %s', (error, code, text) => {
  expect(error).toBeInstanceOf(ConfigurationError)
  expect(error).toMatchObject({ name: 'ConfigurationError', code })
  expect(error.message).toContain(text)
})
