/** Something to declare, so that caches answer more queries. */
export type Candidate = CandidateCache | CandidateField | CandidateLookup

/** A cache of a model that has none. */
export interface CandidateCache {
  readonly kind: 'cache'
  readonly model: string
}

/** A field that a cache omits, and that queries ask for. */
export interface CandidateField {
  readonly kind: 'field'
  readonly model: string
  readonly field: string
}

export interface CandidateLookup {
  readonly kind: 'unique' | 'list'
  readonly model: string
  /** Empty for a list through a relation. */
  readonly by: readonly string[]
  readonly through?: string
  /** For a key of text that a collation compares. */
  readonly fold?: 'case'
  readonly where?: Readonly<Record<string, null | { readonly not: null }>>
  /** As Prisma takes it, without the id. */
  readonly orderBy?: readonly Readonly<Record<string, unknown>>[]
  readonly limit?: number
}

export function isLookup(candidate: Candidate): candidate is CandidateLookup {
  return candidate.kind === 'unique' || candidate.kind === 'list'
}

/** What equal candidates share. */
export function candidateText(candidate: Candidate): string {
  return JSON.stringify(candidate)
}
