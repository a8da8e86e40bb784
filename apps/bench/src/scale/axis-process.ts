/** The process that measures one axis: `axis-process.ts AXIS full|quick`, with an IPC channel and `--expose-gc`. */
import { axes } from './axes.ts'
import { measureAxis, type Effort } from './measure-axis.ts'

const FULL: Effort = { rounds: 15, warmUpMs: 1_000, sampleBytes: 20e6 }
const QUICK: Effort = { rounds: 3, warmUpMs: 100, sampleBytes: 2e6 }

const [name, effort] = process.argv.slice(2)
const axis = axes.find((entry) => entry.name === name)!
const measured =
  effort === 'quick'
    ? await measureAxis(axis, axis.quick, QUICK)
    : await measureAxis(axis, axis.workloads, FULL)
process.send!({ ...measured, rounds: (effort === 'quick' ? QUICK : FULL).rounds })
process.disconnect!()
