import { describedLots } from '../../../../../test/support/described-lots.js'
import { answeringNode, answeringNodes } from '../../../../../test/support/answering-node.js'
import { entryOf } from './cache-description.js'
import { readCatalogue } from './catalogue-listing.js'

const lots = describedLots()
const { field, text } = entryOf(lots, 'print')

async function listing(fields: unknown, epoch: unknown) {
  const node = answeringNode({ 'HGETALL mc:{catalogue}': fields, 'GET mc:{catalogue}:epoch': epoch })
  const { caches, epoch: found } = await readCatalogue(answeringNodes([node]) as never, 'mc')
  expect(node.sent).toHaveLength(2)
  return [found, caches.map(({ name, fingerprint }) => `${name} ${fingerprint}`)]
}

it.each<readonly [string, unknown, unknown, readonly unknown[]]>([
  ['with its caches', ['=epoch', 'e', field, `0;1;${text}`], 'e', ['e', ['Lot print']]],
  ['with its caches, in maps', { [field]: `0;1;${text}`, '=epoch': 'e' }, 'e', ['e', ['Lot print']]],
  [
    'without an epoch that has been lost',
    ['=epoch', 'e', field, `0;1;${text}`],
    null,
    [undefined, ['Lot print']],
  ],
  ['without an epoch that is not its own', ['=epoch', 'e'], 'other', [undefined, []]],
  ['without an epoch that no text is', ['=epoch', 7], 7, [undefined, []]],
  ['as it is when there is none', [], null, [undefined, []]],
  ['as it is when there is none, in maps', null, null, [undefined, []]],
])('the catalogue is read %s', async (_, fields, epoch, expected) => {
  expect(await listing(fields, epoch)).toEqual(expected)
})
