import type { Models } from '../../schema-facts.js'
import { queryShapeOf, type ShapedArgs } from './query-shape.js'

/** What is counted of the queries of one shape. */
export interface CountedShape {
  readonly model: string
  readonly action: string
  /** Undefined if the arguments do not count, and for shapes that are too long, or too rare. */
  readonly args?: ShapedArgs
  count: number
}

/** What is reported, while it is counted. */
export type Mutable<Counts> = { -readonly [Name in keyof Counts]: Counts[Name] }

/** Shapes that are counted apart. */
const maxShapes = 1_000
/** Characters of a shape. */
const maxLength = 1_000
/** Characters of all shapes, which processes send to each other. */
const maxTotalLength = 400_000

/** Counts queries by their shapes. Has no values of queries, and a bounded size. */
export abstract class ShapeCounts<Counted extends CountedShape> {
  protected readonly models: Models
  readonly #shapes = new Map<string, Counted>()
  /** Queries that are not distinguished by their arguments, by their kind. */
  readonly #others = new Map<string, Counted>()
  /** The kinds of all that count. */
  readonly #kinds = new WeakMap<object, string>()
  #totalLength = 0

  constructor(models: Models) {
    this.models = models
  }

  /** Adds what is counted of a rare shape to what is counted of its kind. */
  protected merge(into: Counted, dropped: Counted): void {
    into.count += dropped.count
  }

  /**
   * Returns what counts the queries of a shape, which its caller does.
   *
   * @param kind distinguishes queries with the same arguments
   * @param query as it is before the first one
   * @param args those that distinguish queries; undefined if they do not count
   */
  protected countedOf(kind: string, query: Omit<Counted, 'args'>, args: object | undefined): Counted {
    const shape = args && queryShapeOf(this.models, query.model, args)
    const text = shape && JSON.stringify(shape)
    if (text === undefined || text.length > maxLength) return this.#otherOf(kind, query)
    const key = `${kind} ${text}`
    let known = this.#shapes.get(key)
    if (known) return known
    this.#totalLength += key.length
    if (this.#shapes.size >= maxShapes || this.#totalLength > maxTotalLength) this.#dropRarest()
    known = { ...query, args: shape } as Counted
    this.#shapes.set(key, known)
    this.#kinds.set(known, kind)
    return known
  }

  /** Whether what {@link countedOf} has returned still counts: a rare shape is dropped, and what is counted of it later is lost. */
  keeps(counted: object): boolean {
    return this.#kinds.has(counted)
  }

  /** The most frequent ones first. */
  protected allCounted(): readonly Counted[] {
    return [...this.#shapes.values(), ...this.#others.values()].toSorted(
      (one, other) => other.count - one.count,
    )
  }

  #otherOf(kind: string, query: Omit<Counted, 'args'>): Counted {
    let known = this.#others.get(kind)
    if (!known) {
      this.#others.set(kind, (known = { ...query } as Counted))
      this.#kinds.set(known, kind)
    }
    return known
  }

  /** Keeps frequent queries, however many shapes there are. */
  #dropRarest(): void {
    const byCount = [...this.#shapes].toSorted(([, one], [, other]) => one.count - other.count)
    for (const [key, dropped] of byCount.slice(0, byCount.length / 4)) {
      this.#shapes.delete(key)
      this.#totalLength -= key.length
      const { args: _, ...query } = dropped
      const kind = this.#kinds.get(dropped)!
      this.#kinds.delete(dropped)
      const into = this.#others.get(kind)
      if (into) this.merge(into, dropped)
      else this.#otherOf(kind, query)
    }
  }
}
