import type { SqlQuery } from './adapter.js'
import { grantsTriggers, mayHideTriggers, readRights, type Rights } from './trigger-right.js'

const usage = 'GRANT USAGE ON *.* TO `app`@`%`'

const rightsOf = (grants: readonly string[], more: Partial<Rights> = {}): Rights => ({
  grants: [usage, ...grants],
  isCased: true,
  hasPartialRevokes: false,
  ...more,
})

it.each<[string, boolean]>([
  ['GRANT ALL PRIVILEGES ON *.* TO `app`@`%` WITH GRANT OPTION', true],
  ['GRANT SELECT, TRIGGER, CREATE VIEW ON *.* TO `app`@`%`', true],
  ['GRANT ALL PRIVILEGES ON `shop`.* TO `app`@`%`', true],
  ['GRANT ALL PRIVILEGES ON "shop".* TO "app"@"%"', true],
  ['GRANT TRIGGER ON `sh%`.* TO `app`@`%`', true],
  ['GRANT SELECT, TRIGGER ON `shop`.`Item` TO `app`@`%`', true],
  ['GRANT SELECT, INSERT, UPDATE, DELETE ON `shop`.* TO `app`@`%`', false],
  ['GRANT SELECT (`id`, `TRIGGER`), INSERT ON `shop`.`Item` TO `app`@`%`', false],
  ['GRANT TRIGGER ON `shop`.`Order` TO `app`@`%`', false],
  ['GRANT ALL PRIVILEGES ON `shop2`.* TO `app`@`%`', false],
  ['GRANT ALL PRIVILEGES ON `s\\_%`.* TO `app`@`%`', false],
  ['GRANT `writer`@`%` TO `app`@`%`', false],
])('knows from %s whether triggers of a table are shown: %s', (grant, expected) => {
  expect(grantsTriggers(rightsOf([grant]), 'shop', 'Item')).toBe(expected)
})

it.each<[caseOfNames: string[], partialRevokes: string[], Omit<Rights, 'grants'>]>([
  [['0'], ['OFF'], { isCased: true, hasPartialRevokes: false }],
  [['0'], [], { isCased: true, hasPartialRevokes: false }],
  [['2'], ['ON'], { isCased: false, hasPartialRevokes: true }],
  [[], [], { isCased: true, hasPartialRevokes: false }],
])('knows how a server with %j and %j reads names', async (caseOfNames, partialRevokes, expected) => {
  const variables = [
    ...caseOfNames.map((value) => ['lower_case_table_names', value]),
    ...partialRevokes.map((value) => ['partial_revokes', value]),
  ]
  const queryRaw = async ({ sql }: SqlQuery) => ({
    columnNames: [],
    columnTypes: [],
    rows: sql === 'SHOW GRANTS' ? [[usage]] : variables,
  })
  expect(await readRights({ queryRaw, executeRaw: async () => 0 })).toEqual({ grants: [usage], ...expected })
})

it('knows a right that is revoked for one schema', () => {
  const grants = ['GRANT SELECT, TRIGGER ON *.* TO `app`@`%`', 'REVOKE TRIGGER ON `shop`.* FROM `app`@`%`']
  const rights = rightsOf(grants, { hasPartialRevokes: true })
  expect(grantsTriggers(rights, 'shop', 'Item')).toBe(false)
  expect(grantsTriggers(rights, 'other', 'Item')).toBe(true)
})

it.each(['`shop`.`item`', '`Shop`.`Item`', '`Shop`.*', '`SHOP%`.*'])(
  'knows whether %s is another name, in another case',
  (name) => {
    const grants = [`GRANT TRIGGER ON ${name} TO \`app\`@\`%\``]
    for (const isCased of [true, false])
      expect(grantsTriggers(rightsOf(grants, { isCased }), 'shop', 'Item')).toBe(!isCased)
  },
)

it.each([
  ['`shop_1`', 'shop_1', true],
  ['`shop_1`', 'shopX1', false],
  ['`shop%`', 'shop_1', false],
  ['`shop\\_1`', 'shop_1', false],
])('takes %s for no pattern where rights may be revoked for a schema', (name, schema, expected) => {
  const granted = rightsOf([`GRANT TRIGGER ON ${name}.* TO \`app\`@\`%\``])
  expect(grantsTriggers(granted, schema, 'Item')).toBe(true)
  expect(grantsTriggers({ ...granted, hasPartialRevokes: true }, schema, 'Item')).toBe(expected)
})

it.each([
  ['of which one lacks it', 'GRANT SELECT ON `shop`.* TO `app`@`%`', false],
  ['of which each has it', 'GRANT ALL PRIVILEGES ON `shop`.* TO `app`@`%` WITH GRANT OPTION', true],
  ['of a user and a role', 'GRANT SELECT ON `shop`.* TO `reader`', true],
])('does not know which one of two grants in a schema counts, %s', (_, grant, expected) => {
  const grants = ['GRANT TRIGGER ON `sh%`.* TO `app`@`%`', grant]
  expect(grantsTriggers(rightsOf(grants), 'shop', 'Item')).toBe(expected)
  const global = 'GRANT TRIGGER ON *.* TO `app`@`%`'
  expect(grantsTriggers(rightsOf([global, grant]), 'shop', 'Item')).toBe(true)
})

it.each(['`shop_1`', '`shop\\_1`'])('takes a right for revoked that may be, by %s', (name) => {
  const grants = ['GRANT TRIGGER ON *.* TO `app`@`%`', `REVOKE TRIGGER ON ${name}.* FROM \`app\`@\`%\``]
  expect(grantsTriggers(rightsOf(grants, { hasPartialRevokes: true }), 'shop_1', 'Item')).toBe(false)
})

it('takes triggers for hidden where the rights are not shown', async () => {
  expect(await mayHideTriggers('shop', 'Item', () => Promise.reject(new Error('refused')))).toBe(true)
})
