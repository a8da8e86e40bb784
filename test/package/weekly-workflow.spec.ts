import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { legs, nextLegs } from '../../scripts/stacks/legs.js'

const workflow = readFileSync(join(import.meta.dirname, '../../.github/workflows/deep.yml'), 'utf8')

it('the weekly workflow runs every leg', () => {
  const [leg, tag] = ['leg', 'tag'].map(
    (key) => new RegExp(`^ +${key}:\\s+\\[([^\\]]*)\\]$`, 'm').exec(workflow)?.[1]?.match(/[\w-]+/g) ?? [],
  )
  expect(leg!.toSorted()).toEqual(legs.map(({ name }) => name).toSorted())
  expect(tag).toEqual(nextLegs.map(({ name }) => name))
})

it("the weekly workflow runs Prisma's own tests on the databases that the command runs by default", () => {
  const [, job] = /^  prisma:\n([^]*?)(?=^  \w|(?![^]))/m.exec(workflow) ?? []
  const script = readFileSync(join(import.meta.dirname, '../../scripts/test-prisma.ts'), 'utf8')
  const names = (text: string | undefined): string[] | undefined => text?.match(/\w+/g)?.toSorted()
  const [, databases] = /^ +database: \[(.*)\]$/m.exec(job!) ?? []
  const [, defaults] = /database: .*default: \[(.*?)\]/.exec(script) ?? []
  expect(names(databases)).toEqual(names(defaults))
  expect(job).toMatch(/npm run test:prisma -- (\S+) --database \$\{\{ matrix\.database \}\}/)
})
