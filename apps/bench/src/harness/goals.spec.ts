import { goalTexts, missedGoals } from './goals.ts'

const goals = { gain: { least: 3 }, cost: { most: 1 } }

describe('missedGoals', () => {
  it('names what was missed, and what the goal is', () => {
    expect(missedGoals({ summary: { gain: 2, cost: 1.5 } }, goals)).toEqual([
      'gain is 2, of at least 3.',
      'cost is 1.5, of at most 1.',
    ])
  })

  it('says nothing of what was reached, and of what was not measured', () => {
    expect(missedGoals({ summary: { gain: 3 } }, goals)).toEqual([])
    expect(missedGoals({}, goals)).toEqual([])
  })

  it('does not fail a run that is too noisy to tell', () => {
    const intervals = { gain: { low: 2.5, high: 3.1, rounds: 5 }, cost: { low: 1.1, high: 1.9, rounds: 5 } }
    expect(missedGoals({ summary: { gain: 2.8, cost: 1.5 }, intervals }, goals)).toEqual([
      'cost is 1.5 (1.1 to 1.9), of at most 1.',
    ])
  })
})

describe('goalTexts', () => {
  it('says how long it would take to tell', () => {
    const intervals = { gain: { low: 2.4, high: 3.2, rounds: 5 } }
    expect(goalTexts({ summary: { gain: 2.8, cost: 0.5 }, intervals }, goals, 60, false)).toEqual([
      'gain is 2.8 (2.4 to 3.2), of at least 3: too noisy to tell; about 4 times as many rounds could, 4 minutes.',
      'cost is 0.5, of at most 1: reached.',
    ])
  })

  it('asks for another machine where more rounds do not help', () => {
    const intervals = { cost: { low: 0.5, high: 1.501, rounds: 5 } }
    expect(goalTexts({ summary: { cost: 1.0005 }, intervals }, goals, 60, false)).toEqual([
      'cost is 1.0005 (0.5 to 1.501), of at most 1: too noisy to tell; a quieter machine could.',
    ])
  })

  it('says where the noise of a quick run is unknown', () => {
    expect(goalTexts({ summary: { gain: 4 } }, goals, 60, true)).toEqual([
      'gain is 4, of at least 3: reached by a quick run, whose noise is unknown.',
    ])
  })
})
