import { buildDemoRows } from '#prisma/demo/demo-rows.js'
import { v1 } from './v1.js'
import { v2 } from './v2.js'

describe('the earlier designs', () => {
  const lots = buildDemoRows().auctionItems

  it.each([
    ['v1', v1],
    ['v2', v2],
  ])('%s decodes every lot as it was encoded', (_name, { encode, decode }) => {
    for (const lot of lots) expect(decode(encode(lot))).toEqual(lot)
  })
})
