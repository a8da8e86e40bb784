/** Times the same fixed work in two series that take turns, and prints both; the first argument is the rounds. */
import { sink } from './interleave.ts'
import type { NoiseSample } from './noise-floor.ts'
import { collectGarbage, cpuTime } from './processor.ts'
import { inTurn } from './rounds.ts'

/** JSON text to objects and back, about 15 ms. */
const TEXT = JSON.stringify(
  Array.from({ length: 50 }, (_, id) => ({ id, name: `Lot ${id}`, price: id * 1.25, tags: ['a', 'b', 'c'] })),
)
const REPEATS = 200
const WARM_UP_ROUNDS = 10

const rounds = Number(process.argv[2])
const series: NoiseSample[][] = [[], []]
for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
  for (const samples of inTurn(series, Math.abs(round))) {
    const sample = takeSample()
    if (round >= 0) samples.push(sample)
  }
}
console.log(JSON.stringify(series))

function takeSample(): NoiseSample {
  collectGarbage()
  const [cpu, wall] = [cpuTime(), performance.now()]
  for (let i = 0; i < REPEATS; i++) sink.value = JSON.stringify(JSON.parse(TEXT))
  return { cpuMs: cpuTime() - cpu, wallMs: performance.now() - wall }
}
