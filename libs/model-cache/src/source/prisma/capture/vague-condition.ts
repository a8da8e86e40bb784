import { isName } from './sql-tokens.js'
import type { Statement } from './statement.js'

/** What is followed by a parenthesis and returns the same the next time: words of SQL, and functions that Prisma calls. */
const steady = /^(?:AND|OR|NOT|IN|ANY|ALL|LOWER|UPPER|COALESCE|CONCAT|CAST|CONVERT|JSONB?_\w+|TO_TS\w+)$/i

/** Whether the condition of a statement may match other rows the next time, even if nobody has changed these. */
export function isVague({ where }: Statement): boolean {
  return where.some((token, i) => {
    const isCall = where[i + 1]?.text === '(' && isName(token) && !steady.test(token.text)
    return isCall || /^(?:SELECT|LIMIT|@|CURRENT_\w+|LOCALTIME\w*|UTC_\w+)$/i.test(token.text)
  })
}
