/** A parsed register. */
export interface RegisterView {
  readonly text: string
  readonly epoch: string
  /** Null while it is fenced. */
  readonly existence: string | null
  /** Until when a write to the whole model is remembered, by the store's clock. */
  readonly markMs: number
  readonly isFenced: boolean
  readonly fingerprints: ReadonlySet<string>
}

/** Parses the value of a register; undefined if it is none. */
export function registerIn(text: string): RegisterView | undefined {
  const [epoch, existence, mark, fences, existenceFences, printed] = text.split(';')
  if (!epoch || !existence || printed === undefined) return undefined
  const fingerprints = new Set(printed.split(' ').map((entry) => entry.split('@')[0]!))
  fingerprints.delete('')
  return {
    text,
    epoch,
    existence: existenceFences === '' ? existence : null,
    markMs: Number(mark),
    isFenced: fences !== '',
    fingerprints,
  }
}

/** The epochs that values carry: each is that of the model, that of the catalogue, and the mark of the database. */
export function epochsOf(
  { epoch, existence }: RegisterView,
  catalogueEpoch: string,
  mark: string,
): { readonly epoch: string; readonly existence: string | null } {
  return {
    epoch: `${epoch}.${catalogueEpoch}${mark}`,
    existence: existence && `${existence}.${catalogueEpoch}${mark}`,
  }
}
