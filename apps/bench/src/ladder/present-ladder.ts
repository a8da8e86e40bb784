import type { Section } from '../report/section.ts'
import type { Figure } from '../figure.ts'
import type { LadderMeasurements } from './ladder-measurements.ts'
import { published, unread, type PublishedFigure } from './published.ts'

export function presentLadder(measurements: LadderMeasurements): readonly Section[] {
  const { steps } = measurements
  return [
    {
      title: 'What each step does otherwise than the one before',
      text: steps.map(({ name, change }) => `${name}: ${change}`),
    },
    underLoad(measurements),
    atSteadyRate(measurements),
    besidePublished(measurements),
  ]
}

function underLoad(measurements: LadderMeasurements): Section {
  const { database, server, reports, lotsPerReport, bids, bytes } = measurements
  const { connections, rounds, seconds, steps } = measurements
  const [first] = steps
  return {
    title: `One HTTP service, step by step, under ${connections} connections`,
    text: [
      `A report of ${lotsPerReport} lots and their bids, ${bytes} bytes of JSON, over node:http; ${reports} reports, ${bids} bids.`,
      `${database} and ${server}, real ones, on the same machine as the service and autocannon, which has a process of its own.`,
      `Medians of ${rounds} × ${seconds} s, each step in a new process after a warm-up; GC and loop: the longest of all.`,
      'All steps answer the same bytes, which is checked before any is timed. The cache has all rows by then.',
      'Each connection asks again as soon as it is answered, so requests/s is what the step can do at most. Latencies are counted from when',
      'a request was sent: autocannon does not correct them for coordinated omission here, since without a rate no request is ever due.',
      'CPU idle is of the whole machine, loop idle of the service; a loop that waits for a processor is not idle. On a machine with few of',
      'them the database is what limits requests/s from the second step on, and what the service itself saves is in CPU ms/request.',
    ],
    table: {
      head: [
        'step',
        'requests/s',
        '±',
        'gain',
        'average ms',
        'p99 ms',
        'GC max ms',
        'CPU idle',
        'loop idle',
        'loop max ms',
        'CPU ms/request',
      ],
      rows: steps.map((step) => [
        step.name,
        step.requestsPerSecond.toFixed(0),
        percent(step.spread),
        `${(step.requestsPerSecond / first!.requestsPerSecond).toFixed(2)} ×`,
        step.averageMs.toFixed(1),
        step.p99Ms.toFixed(0),
        step.longestGcMs.toFixed(1),
        percent(step.cpuIdle),
        percent(step.loopIdle),
        step.loopMaxMs.toFixed(1),
        step.cpuMsPerRequest.toFixed(2),
      ]),
    },
    chart: {
      kind: 'bar',
      y: 'requests/s',
      categories: steps.map(({ name }) => name),
      series: [{ name: 'requests/s', values: steps.map((step) => step.requestsPerSecond) }],
    },
  }
}

function atSteadyRate({ connections, steadyPerSecond, steps }: LadderMeasurements): Section {
  return {
    title: `The same steps at ${steadyPerSecond} requests/s`,
    text: [
      'Requests are sent at a steady rate whatever the service does, and latencies counted from when each was due, so coordinated',
      'omission cannot flatter them. autocannon has a rate as well, but its correction (9.0) takes 1 ms for the time between two requests of',
      'a connection, whatever the rate, and adds latencies that nobody had. So this load is sent by the suite itself.',
    ],
    table: {
      head: ['step', 'p50 ms', 'p99 ms', 'CPU idle'],
      rows: steps.map((step) => [
        step.name,
        step.steadyP50Ms.toFixed(1),
        step.steadyP99Ms.toFixed(1),
        percent(step.steadyCpuIdle),
      ]),
    },
    chart: {
      kind: 'bar',
      y: 'p99, ms',
      scale: 'log',
      categories: steps.map(({ name }) => name),
      series: [
        { name: `${connections} connections`, values: steps.map((step) => step.p99Ms) },
        { name: `${steadyPerSecond} requests/s`, values: steps.map((step) => step.steadyP99Ms) },
      ],
    },
  }
}

function besidePublished({ connections, rounds, seconds, steps }: LadderMeasurements): Section {
  const naive = steps.find(({ name }) => name === 'naive')
  const p99 = naive ? `${naive.p99Ms.toFixed(0)} ms` : '–'
  const requests = naive?.requestsPerSecond.toFixed(0) ?? '–'
  const compared: readonly (readonly [PublishedFigure, ours: string, difference: string])[] = [
    [
      published.method,
      `${connections} connections, ${rounds} × ${seconds} s`,
      'the same load; ours runs each step in several new processes.',
    ],
    [
      published.p99AtFirst,
      p99,
      'their data is not published; ours is 21 short queries on a database of the same machine.',
    ],
    [published.p99Retold, p99, 'as above; the retelling speaks of services in general.'],
    [published.requestsAtFirst, requests, 'no network lies between our service and its database.'],
  ]
  return {
    title: `Beside "${published.title}"`,
    text: [unread, ...compared.map(([{ what, url }, , difference]) => `${what}: ${difference} ${url}`)],
    table: {
      head: ['', 'theirs', 'ours'],
      rows: compared.map(([{ what, theirs }, ours]) => [what, theirs, ours]),
    },
  }
}

const percent = (part: number): string => `${(part * 100).toFixed(0)} %`

/** Requests per second of each step, and how the last of them feels. */
export function figuresOf({ steps }: LadderMeasurements): Readonly<Record<string, Figure>> {
  const last = steps.at(-1)!
  return {
    ...Object.fromEntries(
      steps.map(({ name, requestsPerSecond }) => [
        name,
        { value: requestsPerSecond, unit: 'requests/s', better: 'higher' as const },
      ]),
    ),
    [`${last.name}, p99`]: { value: last.p99Ms, unit: 'ms', better: 'lower' },
    [`${last.name}, CPU per request`]: { value: last.cpuMsPerRequest, unit: 'ms', better: 'lower' },
    [`${last.name}, p99 at a steady rate`]: { value: last.steadyP99Ms, unit: 'ms', better: 'lower' },
  }
}
