/** One form of a query. */
import type { PrismaClient } from './client/client.ts'

type Call = (prisma: PrismaClient & { readonly $uncached: PrismaClient }) => PromiseLike<unknown>

export interface Form {
  readonly call: Call
  /** `'answered'`, or why the query goes to the database. */
  readonly outcome: string
}

/** Adds forms with their outcome to a list. */
export function formsIn(forms: Form[]): (outcome: string, ...calls: Call[]) => void {
  return (outcome, ...calls) => {
    for (const call of calls) forms.push({ call, outcome })
  }
}
