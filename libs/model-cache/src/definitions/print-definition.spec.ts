import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type } from 'arktype'
import type { AnyModelCacheDefinition } from '../cache/policy/definition.js'
import { print } from '../cli/print.js'
import { createCodec } from '../codec/compile-codec.js'
import { bytes } from '../codec/row-types.js'
import { decimal, json } from '../source/prisma/prisma-types.js'
import { describeSchemaText } from '../source/prisma/schema/describe-schema.js'
import { bindDefinition } from './bind-definition.js'
import { idKeysOf } from './id-keys.js'
import { modelCaches } from './model-caches.js'

const root = join(import.meta.dirname, '../../../..')
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
      'Day.date',
      'Hour.at',
      'Hour.ofDay',
      'Secret.code',
      'Secret.ofAccount',
    ],
  ],
] as const

// eslint-disable-next-line typescript/no-explicit-any -- any model
const defineAny = modelCaches<any>().defineModelCache as (model: string, options: object) => never

/** Runs a printed module. */
function definitionIn(source: string): AnyModelCacheDefinition {
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
  const models = [...facts.models.values()].filter((model) => model.isVisible && idKeysOf(model).size > 0)

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
