import { type Client, openReadClients, type ReadClients } from './clients.ts'
import { differenceOf, inAnyOrder } from './difference.ts'
import type { Extensible } from './extensions.ts'
import type { Form } from './form.ts'
import { forms } from './forms.ts'

let clients: ReadClients
let plain: Client
beforeAll(async () => {
  clients = await openReadClients()
  await clients.refill()
  const client = clients.plain.client as unknown as Extensible
  // The plain client has no such property.
  plain = client.$extends({ client: { $uncached: client } }) as never
})
afterAll(() => clients.close())

/** The text of the query, as it is in the table. */
const nameOf = ({ call }: Form): string =>
  String(call)
    .replace(/^\(prisma\)\s*=>/, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

async function outcomeOf({ call }: Form, client: Client): Promise<object> {
  try {
    const value = await call(client as never)
    const isOrdered = /orderBy: (?!\[\])|(?:take|skip|cursor): (?!0)/.test(String(call))
    return { value: Array.isArray(value) && !isOrdered ? inAnyOrder(value) : value }
  } catch (error) {
    return { error }
  }
}

/** What the caches counted since these counts. */
function countedSince(before: ReadonlyMap<string, number>): string[] {
  const changed = [...clients.outcomes].filter(([name, count]) => count !== before.get(name))
  return changed.map(([name, count]) => `${name.split(' ')[1]} × ${count - (before.get(name) ?? 0)}`)
}

describe.each(['from the database', 'from the cache'])('a query whose row comes %s', () => {
  it.each(forms.map((form) => [nameOf(form), form.outcome, form] as const))(
    '%s: %s, with the result of a plain client',
    async (_name, outcome, form) => {
      const expected = await outcomeOf(form, plain)
      const before = new Map(clients.outcomes)
      const actual = await outcomeOf(form, clients.extended.client!)
      expect(differenceOf(expected, actual)).toBeUndefined()
      expect(countedSince(before)).toEqual(outcome === 'not counted' ? [] : [`${outcome} × 1`])
    },
  )
})

it('takes the arguments as they are when a query begins, whatever the caller does with them afterwards', async () => {
  const begun = (client: Client): PromiseLike<unknown> => {
    const args = { where: { id: 77 } }
    const result = client.article!.findUniqueOrThrow!(args).then((row) => row)
    args.where.id = 2
    return result
  }
  await expect(begun(clients.plain.client!)).rejects.toMatchObject({ code: 'P2025' })
  await expect(begun(clients.extended.client!)).rejects.toMatchObject({ code: 'P2025' })
})
