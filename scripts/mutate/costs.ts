/** Where the processor time of a run goes: on surveys, and on tests by what they say. */
import type { Answer } from './worker.ts'

export class Costs {
  private readonly all = new Map<string, { jobs: number; ms: number }>()

  add(answer: Answer | undefined, ms: number): void {
    const kind = kindOf(answer)
    const cost = this.all.get(kind) ?? { jobs: 0, ms: 0 }
    this.all.set(kind, { jobs: cost.jobs + 1, ms: cost.ms + ms })
  }

  toString(): string {
    const parts = [...this.all].toSorted(([, a], [, b]) => b.ms - a.ms)
    return parts.map(([kind, { jobs, ms }]) => `${jobs} ${kind} ${(ms / 1_000).toFixed(1)} s`).join(', ')
  }
}

function kindOf(answer: Answer | undefined): string {
  if (!answer) return 'ended'
  if (answer.kind !== 'run') return answer.kind
  if (!answer.failure) return 'passed'
  if (answer.dirty) return 'dirty'
  return answer.repeated ? 'noticed' : 'failed once'
}
