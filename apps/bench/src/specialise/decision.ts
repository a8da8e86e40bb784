import type { Task } from '../measure/interleave.ts'

/** Something that can be decided once or again and again, as two servers that differ in nothing else. */
export interface Decision {
  readonly name: string
  /** What is pitted against what, and whose code it is. */
  readonly about: string
  readonly variants: readonly [Variant, Variant]
  /** The decision without its server, one call of each variant, where it is a function that can be called alone. */
  readonly alone?: () => readonly [Pick<Task, 'inputs' | 'run'>, Pick<Task, 'inputs' | 'run'>]
}

export interface Variant {
  readonly name: string
  /** Makes what answers a request; everything that can be decided before the first one is decided here. */
  open(): Work | Promise<Work>
}

export type Work = () => string | Promise<string>
