import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { legs, nextLegs } from '../../scripts/stacks/legs.js'

it('the weekly workflow runs every leg', () => {
  const workflow = readFileSync(join(import.meta.dirname, '../../.github/workflows/deep.yml'), 'utf8')
  const [leg, tag] = ['leg', 'tag'].map(
    (key) => new RegExp(`^ +${key}:\\s+\\[([^\\]]*)\\]$`, 'm').exec(workflow)?.[1]?.match(/[\w-]+/g) ?? [],
  )
  expect(leg!.toSorted()).toEqual(legs.map(({ name }) => name).toSorted())
  expect(tag).toEqual(nextLegs.map(({ name }) => name))
})
