import { verifyProvider } from './verify-provider.js'

describe('verifyProvider', () => {
  it.each(['postgresql', 'postgres', 'mysql', 'sqlite'])('says nothing of %s, on which tests run', (name) => {
    expect(verifyProvider({ _activeProvider: name })).toEqual([])
  })

  it.each(['cockroachdb', 'sqlserver', 'mongodb'])('warns of %s, on which no test has run', (name) => {
    expect(verifyProvider({ _activeProvider: name })).toEqual([
      `No test of model-cache has run on databases of the provider "${name}", so that it may miss what a write changes there. ` +
        "Compare the caches with the database first, with `reads: 'shadow'`, and report what differs",
    ])
  })
})
