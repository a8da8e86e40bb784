import { providerOf } from './internals.js'

/** Databases on which the tests of the library run. docs/databases.md says what of them. */
const tested: ReadonlySet<string> = new Set(['postgresql', 'postgres', 'mysql', 'sqlite'])

/** Returns a warning if no test of the library has run on the client's database. */
export function verifyProvider(client: object): readonly string[] {
  const provider = providerOf(client)
  if (tested.has(provider)) return []
  return [
    `No test of model-cache has run on databases of the provider "${provider}", so that it may miss what a write changes there. ` +
      "Compare the caches with the database first, with `reads: 'shadow'`, and report what differs",
  ]
}
