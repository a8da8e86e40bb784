import { type CompiledRecords, compileRecords } from './compile-codec.js'
import { undecodable, type Undecodable } from './codec.js'
import type { FreeForm } from './free-form.js'
import { type WirePlan, withParts } from './wire-plan.js'

/** How values of one plan are written as records, and read again several times as fast as in free form. */
export interface RecordForm {
  /** The fingerprint of the plan: 11 characters. */
  readonly print: string
  /** Returns undefined for a value that is to be written in free form. */
  write(value: unknown): string | undefined
  /** @param start index of the first byte of the record, which ends with the bytes */
  read(bytes: Buffer, start: number): unknown
  /** Copies a value that {@link write} has written, or {@link read} has read. */
  copy(value: unknown): unknown
}

/** Plans whose code is kept. */
const maxForms = 300

/** The forms of many plans. Their code is compiled when it is first needed. */
export class RecordForms {
  readonly #free: FreeForm
  readonly #byKey = new WeakMap<object, RecordForm | { readonly print?: undefined }>()
  readonly #byPrint = new Map<string, RecordForm>()

  constructor(free: FreeForm) {
    this.#free = free
  }

  /**
   * Returns the form of a plan; undefined if there is none, or no records hold its values.
   *
   * @param key stands for the plan, which is asked for once
   */
  of(key: object, planOf: () => WirePlan | undefined): RecordForm | undefined {
    let known = this.#byKey.get(key)
    if (!known) {
      const plan = planOf()
      const records = plan && compileRecords(withOwnDecimals(plan))
      known = records
        ? (this.#byPrint.get(records.fingerprint) ?? new CheckedRecords(records, this.#free))
        : {}
      this.#byKey.set(key, known)
    }
    if (known.print === undefined) return undefined
    this.#keep(known)
    return known
  }

  /** Returns the form that has written a record; undefined if this process has not asked {@link of} for it lately. */
  named(print: string): RecordForm | undefined {
    return this.#byPrint.get(print)
  }

  #keep(form: RecordForm): void {
    if (this.#byPrint.has(form.print)) return
    if (this.#byPrint.size >= maxForms) this.#byPrint.delete(this.#byPrint.keys().next().value!)
    this.#byPrint.set(form.print, form)
  }
}

/** Returns a plan whose rows have decimals of their own: callers may change whatever they get, as they may with results of Prisma. */
function withOwnDecimals(plan: WirePlan): WirePlan {
  return plan.kind === 'decimal' ? { ...plan, isOwn: true } : withParts(plan, withOwnDecimals)
}

/** Values that are compared with what is read of them, before the code is trusted. */
const checks = 8
/** Values in sequence that no record holds, after which records are not tried any more. */
const maxRefused = 4
/** Elements from which on the first value is worth the code. */
const manyElements = 50

/** Instead of a proof on generated values, which takes longer than most queries: each value has to have the form of the plan, and the first ones are read again. */
class CheckedRecords implements RecordForm {
  readonly print: string
  readonly #records: CompiledRecords
  readonly #free: FreeForm
  #written = 0
  #checked = 0
  #refused = 0
  /** Lists of as many elements do not fit into a record. */
  #tooMany = Infinity

  constructor(records: CompiledRecords, free: FreeForm) {
    this.print = records.fingerprint
    this.#records = records
    this.#free = free
  }

  write(value: unknown): string | undefined {
    const elements = Array.isArray(value) ? value.length : 1
    if (value === null || elements >= this.#tooMany || this.#refused >= maxRefused) return undefined
    // Code for a query that is sent once is compiled for nothing.
    if (this.#written++ === 0 && elements < manyElements) return undefined
    const record = this.#recordOf(value)
    if (record !== undefined) this.#refused = 0
    else if (elements >= manyElements) this.#tooMany = elements
    else this.#refused++
    return record
  }

  read(bytes: Buffer, start: number): unknown {
    return this.#records.decodeUtf8(bytes, start)
  }

  copy(value: unknown): unknown {
    return this.#records.clone(value)
  }

  #recordOf(value: unknown): string | undefined {
    try {
      if (this.#records.normalize(value) !== value) return undefined
      const record = this.#records.write(value)
      if (record === null || this.#checked >= checks) return record ?? undefined
      const read: unknown | Undecodable = this.read(Buffer.from(record), 0)
      if (read === undecodable || this.#free.write(read) !== this.#free.write(value)) return undefined
      this.#checked++
      return record
    } catch {
      return undefined
    }
  }
}
