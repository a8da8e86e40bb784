/** A parsed register. */
export interface RegisterView {
  readonly text: string
  readonly epoch: string
  /** Null while it is fenced. */
  readonly membership: string | null
  /** Until when a write to the whole model is remembered, by the store's clock. */
  readonly markMs: number
  readonly isFenced: boolean
  readonly fingerprints: ReadonlySet<string>
}

/** Parses the value of a register; undefined if it is none. */
export function registerIn(text: string): RegisterView | undefined {
  const [epoch, membership, mark, fences, membershipFences, printed] = text.split(';')
  if (!epoch || !membership || printed === undefined) return undefined
  const fingerprints = new Set(printed.split(' ').map((entry) => entry.split('@')[0]!))
  fingerprints.delete('')
  return {
    text,
    epoch,
    membership: membershipFences === '' ? membership : null,
    markMs: Number(mark),
    isFenced: fences !== '',
    fingerprints,
  }
}

/** The epochs that values carry: each is that of the model, that of the catalogue, and the mark of the database. */
export function epochsOf(
  { epoch, membership }: RegisterView,
  catalogueEpoch: string,
  mark: string,
): { readonly epoch: string; readonly membership: string | null } {
  return {
    epoch: `${epoch}.${catalogueEpoch}${mark}`,
    membership: membership && `${membership}.${catalogueEpoch}${mark}`,
  }
}
