import { inRounds, inTurn, medians } from './rounds.ts'

it('inTurn gives each thing each place twice in twice as many rounds', () => {
  const orders = Array.from({ length: 6 }, (_, round) => inTurn(['a', 'b', 'c'], round).join(''))
  for (const place of [0, 1, 2]) {
    expect(orders.map((order) => order[place]).toSorted()).toEqual(['a', 'a', 'b', 'b', 'c', 'c'])
  }
})

it('inRounds takes one sample of each case per round', async () => {
  const cases = [{ name: 'a' }, { name: 'b' }]
  const take = async ({ name }: { name: string }, round: number) => `${name}${round}`
  const samples = await inRounds(cases, 2, take, { isQuiet: true })
  expect([...samples.values()]).toEqual([
    ['a0', 'a1'],
    ['b0', 'b1'],
  ])
})

it('medians has the median of each numeric field', () => {
  const samples = [1, 9, 5].map((ms) => ({ ms, name: 'a', wallMs: [ms] }))
  expect(medians(samples)).toEqual({ ms: 5 })
})
