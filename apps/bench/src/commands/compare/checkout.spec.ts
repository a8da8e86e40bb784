import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkEach } from './checkout.ts'

describe('the packages of a checkout', () => {
  let folder: string
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'bench-checkout-')))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('are those of the other one, but for packages of the workspace, with and without a scope', () => {
    const here = (...path: string[]): string => join(folder, 'here', ...path)
    const there = (...path: string[]): string => join(folder, 'there', ...path)
    for (const root of [here, there])
      for (const lib of ['core', 'loop']) mkdirSync(root('libs', lib), { recursive: true })
    for (const name of ['.cache', 'other', '@scope/other'])
      mkdirSync(here('packages', name), { recursive: true })
    symlinkSync('../libs/core', here('packages/core'))
    symlinkSync('../../libs/loop', here('packages/@scope/loop'))

    linkEach(here('packages'), there('packages'), '.cache')

    expect(readdirSync(there('packages')).toSorted()).toEqual(['@scope', 'core', 'other'])
    expect(realpathSync(there('packages/core'))).toBe(there('libs/core'))
    expect(realpathSync(there('packages/@scope/loop'))).toBe(there('libs/loop'))
    for (const name of ['other', '@scope/other']) {
      expect(realpathSync(there('packages', name))).toBe(here('packages', name))
    }
  })
})
