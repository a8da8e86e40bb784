import { defineComparison, figuresOf } from '../../harness/comparison.ts'
import { besidePublished } from '../../harness/published.ts'
import { inPercent, table } from '../../harness/section.ts'
import { allSteps } from './steps.ts'

const ARTICLE = {
  title: 'Node.js Performance at the Limit, Temitope Ajao',
  url: 'https://dev.to/temitopeajao/nodejs-performance-at-the-limit-profiling-fixing-and-proving-it-with-real-numbers-4866',
  unread:
    'Retold at https://www.codcompass.com/en/kb/node-js-performance-at-the-limit-profiling-fixing-and-proving-it-with-real-numbers-559598. ' +
    'Only the beginnings of both pages could be read; their table of requests/s, latencies, GC pauses and CPU idle after each fix could not.',
}

export const ladder = defineComparison({
  name: 'ladder',
  question: 'What does an HTTP service gain by each step from a naive one to this library?',
  packages: ['autocannon', 'fast-json-stringify', 'ioredis', 'pg'],
  // As many reports as connections: each begins with a report of its own.
  full: { rounds: 3, warmUpRequests: 1_000, seconds: 4, steadySeconds: 3, reports: 50 },
  quick: { rounds: 1, warmUpRequests: 50, seconds: 0.25, steadySeconds: 0.25, reports: 5 },
  variants: ['step', allSteps],
  workload: async (run) => (await import('./measure.ts')).measure(run),
  columns({ steps, database, server, reports, lotsPerReport, bids, bytes, ...measured }) {
    const { connections, rounds, seconds, steadyPerSecond } = measured
    const first = steps.find(({ name }) => name === 'naive')
    const p99 = first && `${first.p99Ms.toFixed(0)} ms`
    return [
      { title: 'What each step changes', text: steps.map(({ name, change }) => `${name}: ${change}.`) },
      table(
        `One HTTP service, step by step, under ${connections} connections`,
        steps,
        {
          step: 'name',
          'requests/s': 'requestsPerSecond',
          '±': inPercent((step) => step.spread),
          gain: (step) => step.requestsPerSecond / steps[0]!.requestsPerSecond,
          'average ms': 'averageMs',
          'p99 ms': 'p99Ms',
          'GC max ms': 'longestGcMs',
          'CPU idle': inPercent((step) => step.cpuIdle),
          'loop idle': inPercent((step) => step.loopIdle),
          'loop max ms': 'loopMaxMs',
          'CPU ms/request': 'cpuMsPerRequest',
        },
        {
          text: [
            `A report of ${lotsPerReport} lots and their bids, ${bytes} bytes of JSON, over node:http; ${reports} reports, ${bids} bids.`,
            `${database} and ${server} on the same machine as the service and autocannon, which are two processes.`,
            `Medians of ${rounds} × ${seconds} s, each step in a new process after a warm-up; GC and loop: the longest of all. All steps return the same bytes; the cache has all rows.`,
            'Each connection sends its next request when it has a response, and latencies count from the sending: without a rate no request is ever due, so nothing corrects them for coordinated omission.',
            'CPU idle is of the whole machine, loop idle of the service. With few processors the database limits requests/s from the second step on; CPU ms/request shows what the service saves.',
          ],
          chart: { y: 'requests/s', columns: ['requests/s'] },
        },
      ),
      table(
        `The same steps at ${steadyPerSecond} requests/s`,
        steps,
        {
          step: 'name',
          'p50 ms': 'steadyP50Ms',
          'p99 ms': 'steadyP99Ms',
          'CPU idle': inPercent((step) => step.steadyCpuIdle),
        },
        {
          text: [
            'Sent at a steady rate, whatever the service does; latencies count from when each request was due. autocannon 9.0 corrects a rate as if requests of a connection were 1 ms apart, so the suite sends this load itself.',
          ],
          chart: { y: 'ms', scale: 'log', columns: ['p50 ms', 'p99 ms'] },
        },
      ),
      besidePublished(ARTICLE, 'before anything is changed', [
        {
          name: 'method',
          theirs: 'autocannon, 50 connections, 10 s',
          ours: `${connections} connections, ${rounds} × ${seconds} s`,
          difference: 'the same load; ours runs each step in several new processes',
        },
        {
          name: 'p99',
          theirs: '2.3 s; 2.4 s as retold',
          ours: p99,
          difference: 'their data is not published; ours is 21 short queries on a local database',
        },
        {
          name: 'requests/s, as retold',
          theirs: 'below 50',
          ours: first?.requestsPerSecond,
          difference: 'no network between our service and its database',
        },
      ]),
    ]
  },
  conclusion({ steps }) {
    const [first, last] = [steps[0]!, steps.at(-1)!]
    const gain = (last.requestsPerSecond / first.requestsPerSecond).toFixed(1)
    return (
      `“${last.name}” serves ${last.requestsPerSecond.toFixed(0)} requests/s, ${gain} times as many as “${first.name}”, with ` +
      `${last.cpuMsPerRequest.toFixed(2)} instead of ${first.cpuMsPerRequest.toFixed(2)} ms of processor time per request.`
    )
  },
  figures: ({ steps }) => ({
    ...figuresOf(steps, ({ name }) => name, { '': ['requestsPerSecond', 'requests/s', 'higher'] }),
    ...figuresOf(steps.slice(-1), ({ name }) => name, {
      ', p99': ['p99Ms', 'ms'],
      ', CPU per request': ['cpuMsPerRequest', 'ms'],
      ', p99 at a steady rate': ['steadyP99Ms', 'ms'],
    }),
  }),
})
