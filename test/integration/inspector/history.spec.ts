import type { HistoryReport } from '@model-cache/inspector'
import { guests, type InspectedApplication, useInspectedApplications } from './inspected-application.js'

const world = useInspectedApplications()

const historyOf = async (app: InspectedApplication) =>
  (await app.get('/inspector/api/v1/history')).json as HistoryReport

it('has the last minute of each process, though nobody has looked before', async () => {
  const [app, other] = [await world.start(), await world.start({ platform: 'express' })]
  await other.cache(guests).get('nobody')
  let history = await historyOf(app)
  const loadedIn = ({ samples }: HistoryReport['processes'][number]): number =>
    samples.reduce((sum, { answered }) => sum + answered.source, 0)
  // A sample is taken every two seconds.
  const isComplete = ({ processes: [own, others] }: HistoryReport): boolean =>
    own !== undefined && own.samples.length > 0 && others !== undefined && loadedIn(others) > 0
  while (!isComplete(history)) history = await historyOf(app)
  const [own, others] = history.processes
  expect(own!.id).toBe(history.self)
  expect(others!.id).not.toBe(history.self)
  expect([loadedIn(own!), loadedIn(others!)]).toEqual([0, 1])
  const ages = own!.samples.map(({ agoMs }) => agoMs)
  expect(ages.every((age) => age >= 0)).toBe(true)
  expect(ages).toEqual(ages.toSorted((one, another) => another - one))
})
