import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { say } from '../progress.ts'
import type { Figure } from '../figure.ts'
import type { RunOptions } from '../run-options.ts'
import type { Suite } from '../suite.ts'
import { axes, type Axis } from './axes.ts'
import type { MeasuredAxis } from './measure-axis.ts'
import { presentScale } from './present-scale.ts'
import type { AxisResult, ScaleMeasurements } from './scale-measurements.ts'

type Measured = MeasuredAxis & { readonly rounds: number }

/** What a read costs as everything around it grows. */
export const scaleSuite: Suite<ScaleMeasurements> = {
  packages: ['@prisma/client', 'ioredis'],
  run: measure,
  present: presentScale,
  figures: ({ axes }) => Object.fromEntries(axes.flatMap(figuresOf)),
}

async function measure({ quick, only }: RunOptions): Promise<ScaleMeasurements> {
  const measured: Measured[] = []
  for (const { name, title } of chooseAxes(only)) {
    say(`${title} …`)
    measured.push(await measureInProcess(name, quick))
  }
  const [{ server, rounds }] = measured as [Measured]
  return { server, rounds, axes: measured.map(({ result }) => result) }
}

/** @throws when a name is not that of an axis */
function chooseAxes(only: readonly string[]): readonly Axis[] {
  if (only.length === 0) return axes
  return only.map((name) => {
    const found = axes.find((axis) => axis.name === name)
    if (found) return found
    throw new Error(`There is no axis "${name}", only ${axes.map((axis) => axis.name).join(', ')}.`)
  })
}

async function measureInProcess(name: string, quick: boolean): Promise<Measured> {
  const child = fork(join(import.meta.dirname, 'axis-process.ts'), [name, quick ? 'quick' : 'full'], {
    execArgv: ['--expose-gc'],
  })
  let measured: Measured | undefined
  child.on('message', (message: Measured) => (measured = message))
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  if (measured && code === 0) return measured
  throw new Error(`The process that measures ${name} has ended with ${signal ?? code}.`)
}

/** An exponent each, and the cost at the end. */
function figuresOf({ name, points, growth }: AxisResult): [string, Figure][] {
  const figure = (value: number, unit: string): Figure => ({ value, unit, better: 'lower' })
  return [
    [`${name}: exponent`, figure(growth.exponent, 'power')],
    [`${name}: read at the end`, figure(points.at(-1)!.cpuUs, 'µs of processor time')],
  ]
}
