import type { Section } from '../report/section.ts'
import type { Figure } from '../figure.ts'
import type { DecisionResult, Gain, SpecialiseMeasurements } from './specialise-measurements.ts'
import { largestOf, winnerOf } from './summarise.ts'

export function presentSpecialise(measurements: SpecialiseMeasurements): readonly Section[] {
  const { control, decisions } = measurements
  return [
    {
      title: 'What is decided, A against B',
      text: [...decisions, control].map(({ name, about }) => `${name}: ${about}`),
    },
    asServers(measurements),
    {
      title: 'Processor time of the same servers, and of the decision alone',
      text: [
        'Of the server in its own process: what another program on the machine takes is not in it, so it tells smaller differences apart.',
        'Alone is one call without any server, both variants interleaved in one process; a request makes as many as it reads rows.',
        `In processor time the same server twice differed by up to ${percent(largestOf(control.cpuGain))}.`,
      ],
      table: {
        head: [
          'A | B',
          'A, µs/request',
          'B, µs/request',
          'A saves',
          'of rounds',
          'winner',
          'A alone, ns',
          'B alone, ns',
        ],
        rows: [control, ...decisions].map((decision) => cpuRow(decision, control)),
      },
    },
  ]
}

function asServers({
  rows,
  connections,
  rounds,
  secondsPerLeg,
  control,
  decisions,
}: SpecialiseMeasurements): Section {
  const hidden = decisions.filter((decision) => !winnerOf(decision, decision.gain, control.gain))
  return {
    title: 'A against B as whole servers, requests per second',
    text: [
      `Each request reads ${rows} rows of 330 bytes from memory; autocannon in a process of its own has ${connections} connections, no pipelining.`,
      `${rounds} rounds, each of two new processes that are loaded in the order A B B A, ${secondsPerLeg} s each time. Figures are medians, the range is of the rounds.`,
      `The same server twice differed by up to ${percent(largestOf(control.gain))}. A difference counts when it is larger and all rounds agree about its sign.`,
      ...(hidden.length > 0
        ? [`HTTP and the noise hide the difference of: ${hidden.map(({ name }) => name).join(', ')}.`]
        : []),
    ],
    table: {
      head: ['A | B', 'A', 'B', 'A gains', 'of rounds', 'winner'],
      rows: [control, ...decisions].map((decision) => [
        nameOf(decision),
        ...decision.variants.map(({ requestsPerSecond }) => requestsPerSecond.toFixed(0)),
        signed(decision.gain.median),
        range(decision.gain),
        decision === control ? '' : (winnerOf(decision, decision.gain, control.gain) ?? '–'),
      ]),
    },
    chart: {
      kind: 'bar',
      y: 'requests/s',
      categories: [control, ...decisions].map(({ name }) => name),
      series: ([0, 1] as const).map((index) => ({
        name: index === 0 ? 'A' : 'B',
        values: [control, ...decisions].map(({ variants }) => variants[index].requestsPerSecond),
      })),
    },
  }
}

function cpuRow(decision: DecisionResult, control: DecisionResult): string[] {
  const { variants, cpuGain } = decision
  return [
    nameOf(decision),
    ...variants.map(({ cpuUsPerRequest }) => cpuUsPerRequest.toFixed(0)),
    signed(cpuGain.median),
    range(cpuGain),
    decision === control ? '' : (winnerOf(decision, cpuGain, control.cpuGain) ?? '–'),
    ...variants.map(({ aloneNs }) => aloneNs?.toFixed(0) ?? '–'),
  ]
}

const nameOf = ({ name, variants: [a, b] }: DecisionResult): string => `${name}: ${a.name} | ${b.name}`
const percent = (part: number): string => `${(part * 100).toFixed(1)} %`
const signed = (part: number): string => `${part > 0 ? '+' : ''}${percent(part)}`
const range = ({ min, max }: Gain): string => `${signed(min)} … ${signed(max)}`

/** Processor time of what is decided once, and of the library's servers. */
export function figuresOf({ decisions }: SpecialiseMeasurements): Readonly<Record<string, Figure>> {
  return Object.fromEntries(
    decisions.flatMap(({ name, variants: [a, b] }) => [
      [`${name}: ${a.name}`, { value: a.cpuUsPerRequest, unit: 'µs/request', better: 'lower' as const }],
      [`${name}: ${b.name}`, { value: b.cpuUsPerRequest, unit: 'µs/request', better: 'lower' as const }],
    ]),
  )
}
