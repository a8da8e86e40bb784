import { asOwnQuery, currentArrivals, isOwnQuery } from './own-queries.js'

it('knows queries of the library, and what looks at them, until they end', async () => {
  const states: unknown[] = []
  const onArrival = () => {}
  const look = () => states.push([isOwnQuery(), currentArrivals()])
  look()
  const query = asOwnQuery(async () => {
    look()
    await Promise.resolve()
    look()
  }, onArrival)
  look()
  await query
  await asOwnQuery(async () => look())
  expect(states).toEqual([
    [false, undefined],
    [true, onArrival],
    [false, undefined],
    [true, onArrival],
    [true, undefined],
  ])
})
