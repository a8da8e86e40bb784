import { grantsTriggers, mayHideTriggers } from './trigger-right.js'

const usage = 'GRANT USAGE ON *.* TO `app`@`%`'

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
  expect(grantsTriggers([usage, grant], 'shop', 'Item')).toBe(expected)
})

it('knows a right that is revoked for one schema', () => {
  const grants = ['GRANT SELECT, TRIGGER ON *.* TO `app`@`%`', 'REVOKE TRIGGER ON `shop`.* FROM `app`@`%`']
  expect(grantsTriggers(grants, 'shop', 'Item')).toBe(false)
  expect(grantsTriggers(grants, 'other', 'Item')).toBe(true)
})

it('takes triggers for hidden where the rights are not shown', async () => {
  expect(await mayHideTriggers('shop', 'Item', () => Promise.reject(new Error('refused')))).toBe(true)
})
