/** Arguments of reads that are not literals, in the ways in which random reads do not give them. */
import { useOpened } from '../../support/use-opened.ts'
import { show } from '../differential/show.ts'
import { openReadsFixture } from './reads-fixture.ts'

const fixture = useOpened(() => openReadsFixture({ caches: [{ model: 'Post', id: 'id' }] }))

type Client = Record<string, Record<string, (args?: unknown) => Promise<unknown>>>

class Dto {
  constructor(fields: object) {
    Object.assign(this, fields)
  }
}

describe('a read', () => {
  it('may select fields with an object of a class, of which only its own count', async () => {
    const [truth, cached] = [fixture.plain, fixture.prisma] as unknown as [Client, Client]
    class Args {
      where = { id: 1 }
      get select(): object {
        return new Dto({ id: true, title: true })
      }
    }
    class OfBase extends Dto {}
    Object.assign(OfBase.prototype, { title: true })
    fixture.outcomes()
    for (const args of [
      new Args(),
      { where: { id: 1 }, omit: new Dto({ title: true }) },
      { where: { id: 1 }, select: new OfBase({ id: true }) },
    ])
      expect(show(await cached.post!.findUnique!(args))).toBe(show(await truth.post!.findUnique!(args)))
    expect(fixture.outcomes()).toEqual(['answered', 'answered', 'answered'])
  })

  it.each(['findUnique', 'findUniqueOrThrow', 'findFirst', 'findFirstOrThrow'])(
    'of a row that does not exist has read its arguments once when the database answers it: %s',
    async (action) => {
      const { post } = fixture.prisma as unknown as Client
      fixture.outcomes()
      const ids = [99]
      const where = Object.defineProperty({}, 'id', { get: () => ids.pop() ?? 1, enumerable: true })
      const answer = post![action]!({ where })
      if (action.endsWith('OrThrow')) await expect(answer).rejects.toMatchObject({ code: 'P2025' })
      else expect(await answer).toBeNull()
      expect(fixture.outcomes()).toEqual([action.endsWith('OrThrow') ? 'not_found' : 'answered'])
    },
  )

  it('goes to the database where only Prisma knows what it reads', async () => {
    const [truth, cached] = [fixture.plain, fixture.prisma] as unknown as [Client, Client]
    fixture.outcomes()
    for (const where of [
      { __prismaRawParameters__: true, values: { id: 1 } },
      { toJSON: () => new Dto({ id: 1 }) },
    ])
      expect(show(await cached.post!.findFirst!({ where }))).toBe(
        show(await truth.post!.findFirst!({ where })),
      )
    expect(fixture.outcomes()).toEqual(['argument', 'argument'])
  })
})
