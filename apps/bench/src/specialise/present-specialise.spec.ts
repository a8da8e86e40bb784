import { figuresOf, presentSpecialise } from './present-specialise.ts'
import type { DecisionResult, Gain, SpecialiseMeasurements } from './specialise-measurements.ts'

const result = (name: string, gain: Gain): DecisionResult => ({
  name,
  about: 'suite: something',
  variants: [
    { name: 'at registration', requestsPerSecond: 1_000, cpuUsPerRequest: 90, aloneNs: 17 },
    { name: 'at each call', requestsPerSecond: 900, cpuUsPerRequest: 100 },
  ],
  gain,
  cpuGain: gain,
})

const measurements: SpecialiseMeasurements = {
  rows: 100,
  connections: 10,
  rounds: 4,
  secondsPerLeg: 1,
  control: result('A/A', { median: 0, min: -0.02, max: 0.01 }),
  decisions: [
    result('one id', { median: 0.11, min: 0.1, max: 0.12 }),
    result('hooks', { median: 0.01, min: 0.005, max: 0.02 }),
  ],
}

describe('presentSpecialise', () => {
  const [, servers, processors] = presentSpecialise(measurements)

  it('has as many cells in each row as heads', () => {
    for (const { table } of [servers!, processors!]) {
      for (const row of table!.rows) expect(row).toHaveLength(table!.head.length)
    }
  })

  it('names the winner and by how much, or that there is none', () => {
    const [control, oneId, hooks] = servers!.table!.rows
    expect(control!.at(-1)).toBe('')
    expect(oneId).toEqual([
      'one id: at registration | at each call',
      '1000',
      '900',
      '+11.0 %',
      '+10.0 % … +12.0 %',
      'at registration',
    ])
    expect(hooks!.at(-1)).toBe('–')
  })

  it('says which differences the noise hides', () => {
    expect(servers!.text!.join('\n')).toContain('hide the difference of: hooks.')
  })

  it('has a bar for both variants of each decision', () => {
    const { categories, series } = servers!.chart!
    expect(categories).toEqual(['A/A', 'one id', 'hooks'])
    expect(series.map(({ values }) => values)).toEqual([
      [1_000, 1_000, 1_000],
      [900, 900, 900],
    ])
  })
})

describe('figuresOf', () => {
  it('follows the processor time of each variant', () => {
    expect(figuresOf(measurements)).toMatchObject({
      'one id: at registration': { value: 90, better: 'lower' },
      'hooks: at each call': { value: 100, better: 'lower' },
    })
  })
})
