import { AtRest, type DescribedCache, type DescribedForm } from '../protocol/index.js'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import type { SchemaFacts } from '../source/schema-facts.js'
import { noZstdWarning, otherFormsWarning, verifyAtRest } from './stored-forms.js'

const keys = [{ id: 'a', key: Buffer.alloc(32, 1) }]
const form = (change: Partial<DescribedForm> = {}): DescribedForm => ({
  isEncrypted: true,
  isCompressed: false,
  hashedBy: undefined,
  ...change,
})
const listed = (name: string, atRest?: DescribedForm): DescribedCache =>
  ({ name, description: { atRest } }) as unknown as DescribedCache

describe('the models that are encrypted', () => {
  const definitions = [{ model: 'Loaded' }] as unknown as AnyModelCacheDefinition[]
  const facts = {
    models: new Map([
      ['User', { name: 'User', isVisible: true }],
      ['_UserToTag', { name: '_UserToTag', isVisible: false }],
    ]),
  } as unknown as SchemaFacts

  it('are those of the client and of definitions', () => {
    const verify = (...models: string[]) => verifyAtRest(AtRest.of({ keys, models }), definitions, facts)
    verify('User', 'Loaded')
    expect(() => verify('User', 'Usr')).toThrow(
      /"atRest.models" is "Usr"; expected models that there are: User, Loaded/,
    )
    expect(() => verify('_UserToTag')).toThrow(/atRest.models/)
  })

  it('are unknown to a process without a client and caches', () => {
    verifyAtRest(AtRest.of({ keys, models: ['User'] }), [], undefined)
  })
})

describe('another form', () => {
  const own = new Map([
    ['User', form()],
    ['Lot', undefined],
  ])

  it('is none of the same caches in the same form, and of caches that this process does not have', () => {
    const caches = [
      listed('User', form()),
      listed('Lot'),
      listed('Bid', form()),
      { name: 'User' } as DescribedCache,
    ]
    expect(otherFormsWarning(caches, own)).toBeUndefined()
  })

  it.each<[string, DescribedForm | undefined]>([
    ['in clear text', undefined],
    ['compressed', form({ isEncrypted: false, isCompressed: true })],
    ['encrypted, compressed', form({ isCompressed: true })],
    ['encrypted, ids hashed with the key "2026"', form({ hashedBy: '2026' })],
  ])('is named once, with what this process does: %s', (text, there) => {
    const warning = otherFormsWarning([listed('User', there), listed('User', there)], own)!
    expect(warning).toContain(`in another form: User (encrypted here, ${text} there). `)
  })
})

describe('a Node without zstd', () => {
  it('is named if caches compress', () => {
    expect(noZstdWarning(['User'], true)).toBeUndefined()
    expect(noZstdWarning([], false)).toBeUndefined()
    expect(noZstdWarning(['User', 'Lot'], false)).toMatch(/^this Node \(v.*has no effect: User, Lot\./)
    expect(noZstdWarning(['User'])).toBeUndefined()
  })
})
