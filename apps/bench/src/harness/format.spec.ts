import { comparedWith } from './format.ts'

describe('the comparison of two costs', () => {
  it.each([
    [0.007_48, 'CPU', '134 times less CPU than Redis'],
    [0.5, '', '2 times less than Redis'],
    [1, 'CPU', '1 times as much CPU as Redis'],
    [2.345, 'CPU', '2.35 times as much CPU as Redis'],
    [1_234.5, '', '1,230 times as much as Redis'],
  ])('says %d of %j as people do', (ratio, what, text) => {
    expect(comparedWith(ratio, what, 'Redis')).toBe(text)
  })
})
