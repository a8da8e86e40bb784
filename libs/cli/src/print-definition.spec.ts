import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type } from 'arktype'
import { modelCaches } from 'model-cache'
import { bindDefinition } from 'model-cache/advanced'
import { bytes, decimal, json } from 'model-cache/arktype'
import { createCodec } from 'model-cache/codec'
import type { PossibleLookups } from '@model-cache/inspector/internal'
import { describeSchemaText, shapeOf } from 'model-cache/internal'
import { print } from './print.js'
import { printDefinition } from './print-definition.js'

const root = join(import.meta.dirname, '../../..')
const schemas = [
  [
    'prisma/schema.prisma',
    '#prisma/client/client.js',
    [
      'User.email',
      'Item.sku',
      'AuctionItem.fundraiserId_lot',
      'AuctionItem.ofFundraiser',
      'AuctionItem.ofItem',
      'AuctionBid.ofAuctionItem',
      'AuctionBid.ofBidder',
      'AuctionBid.ofGuest',
      'PaddleTipConfig.fundraiserId',
      'GivingLevel.ofFundraiser',
      'SponsorBundle.ofFundraiser',
      'Sponsor.ofBundle',
      'Fundraiser.slug',
    ],
  ],
  [
    'test/integration/differential/schema.prisma',
    '../integration/differential/client/client.js',
    [
      'Account.email',
      'Account.token',
      'Account.ofManager',
      'Account.withTeams',
      'Badge.profileId_label',
      'Badge.ofProfile',
      'Locker.accountId',
      'Event.ofHost',
      'Ticket.seat',
      'Team.code',
      'Team.withAccounts',
      'Post.address',
      'Post.ofAuthor',
      'Post.ofEditor',
      'Post.withLabels',
      'Comment.ofPost',
      'Comment.ofParent',
      'Label.ofParent',
      'Label.withSimilar',
      'Label.withSimilarTo',
      'Label.withPosts',
      'Setting.scope_key',
      'Grant.ofAccount',
      'Blob.hash',
      'Day.label',
      'Hour.label',
      'Hour.ofDay',
      'Secret.code',
    ],
  ],
] as const

// eslint-disable-next-line typescript/no-explicit-any -- any model
const defineAny = modelCaches<any>().defineModelCache as unknown as (model: string, options: object) => never

/** Runs a printed module. */
function definitionIn(source: string): Parameters<typeof bindDefinition>[0] {
  const body = source
    .replace(/^import .*\n/gm, '')
    .replace('<Prisma.TypeMap>', '')
    .replace('export const', 'const')
    .replace(/export const \w+ =/, 'return')
  // eslint-disable-next-line no-new-func -- the source that users paste
  return new Function('type', 'bytes', 'decimal', 'json', 'modelCaches', body)(
    type,
    bytes,
    decimal,
    json,
    modelCaches,
  ) as never
}

describe.each(schemas)('the printed definitions of %s', (schema, client, expected) => {
  const facts = describeSchemaText(readFileSync(join(root, schema), 'utf8'))
  const models = [...facts.models.values()].filter((model) => model.isVisible && model.uniqueKeys.size > 0)

  it('have the fingerprint and the key order of the derived ones', async () => {
    const compared = await Promise.all(
      models.map(async ({ name }) => {
        const printedDefinition = definitionIn(await print(root, { model: name, schema, client }))
        const { id, omit } = printedDefinition
        const derived = bindDefinition(defineAny(name, { ttl: '10m', id, omit }), facts)
        const printed = bindDefinition(printedDefinition, facts)
        return [derived, printed].map(({ plan }) => ({
          fingerprint: createCodec(plan).fingerprint,
          fields: plan.kind === 'object' && plan.fields.map((field) => field.name),
        }))
      }),
    )
    expect(compared.length).toBeGreaterThan(10)
    for (const [derived, printed] of compared) expect(printed).toEqual(derived)
  })

  it('have lookups that the start accepts', async () => {
    const lookups = await Promise.all(
      models.map(async ({ name }) => {
        const definition = definitionIn(await print(root, { model: name, schema, client }))
        return bindDefinition(definition, facts).lookups.map((lookup) => `${name}.${lookup.name}`)
      }),
    )
    expect(lookups.flat()).toEqual(expected)
  })
})

describe('a printed definition', () => {
  const facts = describeSchemaText(`
    enum Colour {
      RED
      BLUE
    }
    model CarPark {
      id      Int       @id
      name    String
      tags    String[]
      kinds   Colour[]
      colour  Colour?
      extras  Json?
      notes   Json[]
      fee     Decimal?
      pin     String    /// @cache(omit)
      code    String    /// @cache(omit)
      tickets Ticket[]
    }
    model Ticket {
      number  Int
      series  String
      zone    String   @unique
      park    CarPark  @relation(fields: [parkId], references: [id])
      parkId  Int
      @@id([series, number], name: "run")
    }
    model Fee {
      slug  String @unique
      code  String @unique
      photo Bytes[]
    }`)
  const printed = (name: string, lookups: PossibleLookups): string =>
    printDefinition({
      model: facts.models.get(name)!,
      shape: shapeOf(defineAny(name, { ttl: '1m' }), facts),
      lookups,
      client: './client.js',
    })

  it('says how text is compared where a collation does', () => {
    const lookups = {
      unique: [{ name: 'series', by: ['series'], fold: 'case' as const }],
      lists: [{ name: 'withTags', by: [], through: 'tags', fold: 'case' as const }],
    }
    expect(printed('CarPark', lookups)).toContain(`
  // Where the collation of a column distinguishes case: \`caseSensitive: true\` instead of \`fold\`.
  unique: { series: { by: 'series', fold: 'case' } },
  lists: { withTags: { through: 'tags', fold: 'case' } },
`)
  })

  it('has its types, and leaves out what the schema does', () => {
    expect(printed('CarPark', { unique: [], lists: [] })).toBe(`import { type } from 'arktype'
import { modelCaches } from 'model-cache'
import { decimal, json } from 'model-cache/arktype'
import type { Prisma } from './client.js'

const { defineModelCache } = modelCaches<Prisma.TypeMap>()

export const CarParkRow = type({
  id: 'number',
  name: 'string',
  tags: 'string[]',
  kinds: "('RED' | 'BLUE')[]",
  colour: "'RED' | 'BLUE' | null",
  extras: json,
  notes: json.array(),
  fee: decimal.or('null'),
})

export const carParkCache = defineModelCache('CarPark', { omit: { pin: true, code: true }, schema: CarParkRow, ttl: '10m' })
`)
  })

  it('imports no helpers for types that ArkType has', () => {
    expect(printed('Ticket', { unique: [], lists: [] })).toContain(
      "import { modelCaches } from 'model-cache'\nimport type { Prisma } from './client.js'\n",
    )
  })

  it('has its lookups, and names its id where it is not found otherwise', () => {
    const unique = [
      { name: 'zone', by: ['zone'] },
      { name: 'run', by: ['series', 'number'] },
    ]
    const lists = [
      { name: 'ofPark', by: ['parkId'] },
      { name: 'withParks', through: 'parks', by: [] },
    ]
    const definition = (lookups: PossibleLookups) => printed('Ticket', lookups).split('\n\n').at(-1)
    expect(definition({ unique, lists } as never))
      .toBe(`export const ticketCache = defineModelCache('Ticket', {
  id: 'run',
  schema: TicketRow,
  ttl: '10m',
  // Keep what you read by: a write that enters an entry of a lookup invalidates it.
  unique: { zone: 'zone', run: ['series', 'number'] },
  lists: { ofPark: { by: 'parkId' }, withParks: { through: 'parks' } },
})
`)
    expect(definition({ unique, lists: [] } as never)).not.toContain('lists')
    expect(definition({ unique: [], lists } as never)).not.toContain('unique')
    expect(printed('Ticket', { unique: [], lists: [] })).toContain(
      "import { modelCaches } from 'model-cache'",
    )
    expect(printed('Fee', { unique: [], lists: [] })).toContain(
      "defineModelCache('Fee', { id: 'slug', schema: FeeRow, ttl: '10m' })",
    )
  })
})
