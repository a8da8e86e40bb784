import type { Section, Table } from '../report/section.ts'
import { besideEarlier, besideThePublished } from './beside.ts'
import { labelOf, percentOf } from './label.ts'
import type { Cell, MatrixMeasurements } from './matrix-measurements.ts'

const HEAD = ['', 'loop p99', 'loop max', 'wall p99', 'parse p99', 'CPU', '±', 'allocated MB', 'heap MB']

/** A table and a chart for each scenario, the hit rates as lines, and what to know before comparing. */
export function presentMatrix(measurements: MatrixMeasurements): readonly Section[] {
  return [
    about(measurements),
    ...measurements.scenarios.flatMap(({ name }) => ofScenario(measurements, name)),
    ...measurements.scenarios.map(({ name }) => ofHitRates(measurements, name)),
    toKnow(measurements),
    besideThePublished(measurements),
    besideEarlier(measurements),
  ]
}

function about({ server, rounds, storms, scenarios }: MatrixMeasurements): Section {
  return {
    title: 'Scenarios',
    text: [
      'So many users ask for so many rows each, all in one tick; no two ask for the same row, so nothing can be shared.',
      `All strategies fetch from one ${server} with MGETs of 250 keys. Those that parse read one text: JSON in which dates and decimals ` +
        'are strings with a prefix. This library reads its own format. All rows are stored, and checked before anything is timed.',
      `Each strategy in ${rounds} ${rounds === 1 ? 'process' : 'processes'} of its own, in turn with the others.`,
    ],
    table: {
      head: ['', 'users', 'items', 'fields', 'reads', 'bytes per row', 'storms per cell'],
      rows: scenarios.map(({ name, users, items, fields, reads, bytesPerRow }) => [
        name,
        ...[users, items, fields, reads, bytesPerRow, storms[name]!].map((count) =>
          count.toLocaleString('en'),
        ),
      ]),
    },
  }
}

function ofScenario({ cells, missing }: MatrixMeasurements, scenario: string): Section[] {
  const here = cells.filter((cell) => cell.scenario === scenario)
  const series = (name: string, value: (cell: Cell) => number) => ({ name, values: here.map(value) })
  const table: Table = {
    head: HEAD,
    rows: [
      ...here.map(rowOf),
      ...Object.keys(missing).map((name) => [name, ...HEAD.slice(1).map(() => '–')]),
    ],
  }
  return [
    {
      title: `${titled(scenario)}: milliseconds, by strategy and hit rate`,
      text: Object.entries(missing).map(([name, reason]) => `${name} is not measured: ${reason}`),
      table,
      chart: {
        kind: 'bar',
        y: 'ms',
        scale: 'log',
        categories: here.map(labelOf),
        series: [
          series('processor time', ({ cpuMs }) => cpuMs),
          series('longest block', ({ loopMaxMs }) => loopMaxMs),
        ],
      },
    },
  ]
}

function rowOf(cell: Cell): string[] {
  return [
    labelOf(cell),
    ...[cell.loopP99Ms, cell.loopMaxMs, cell.wallP99Ms, cell.parseP99Ms, cell.cpuMs].map((ms) =>
      ms.toFixed(2),
    ),
    `${(cell.cpuSpread * 100).toFixed(0)} %`,
    cell.allocatedMb.toFixed(1),
    cell.heapMb.toFixed(1),
  ]
}

function ofHitRates({ cells }: MatrixMeasurements, scenario: string): Section {
  const here = cells.filter((cell) => cell.scenario === scenario)
  const withMemory = here.filter(({ hitRate }) => hitRate !== undefined)
  const percents = [...new Set(withMemory.map((cell) => percentOf(cell)!))].toSorted((a, b) => a - b)
  const cpuAt = (strategy: string, percent: number): number | null =>
    here.find((cell) => cell.strategy === strategy && [undefined, percent].includes(percentOf(cell)))
      ?.cpuMs ?? null
  // The two without a memory are level lines: what the others have to be compared with.
  const names = [
    ...new Set([
      ...withMemory.map(({ strategy }) => strategy),
      ...here.map(({ strategy }) => strategy).filter((name) => name === 'baseline' || name === 'model-cache'),
    ]),
  ]
  const series = names.map((name) => ({ name, values: percents.map((percent) => cpuAt(name, percent)) }))
  return {
    title: `${titled(scenario)}: milliseconds of processor time by hit rate`,
    table: {
      head: ['', ...percents.map((percent) => `${percent} %`)],
      rows: series.map(({ name, values }) => [name, ...values.map((value) => value?.toFixed(2) ?? '–')]),
    },
    chart: {
      kind: 'line',
      x: 'reads answered from memory, %',
      y: 'ms of processor time',
      categories: percents,
      series,
    },
  }
}

function toKnow({ notes }: MatrixMeasurements): Section {
  return {
    title: 'To know',
    text: [
      ...Object.entries(notes).map(([name, note]) => `${name}: ${note}.`),
      'Loop p99 is how long work waits that arrives at any millisecond of a storm, loop max the longest block; both are medians of storms.',
      'Wall p99 counts from the moment at which all users ask, over all users of all storms.',
      'Parse p99 is the time from texts to rows, all of a storm together, over storms; of this library what it tells its observer as decoding.',
      'Processor time is of all threads of the process. Allocated is what one storm allocates; heap is what is held after a full collection right after the last storm, memories included.',
      'Memories have room for as many rows as one storm asks for. Before each storm they are filled, untimed, with so many rows that it will ask for, and others.',
    ],
  }
}

const titled = (name: string): string => name[0]!.toUpperCase() + name.slice(1)
