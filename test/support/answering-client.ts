/** Clients of databases that answer what a test says, and say what they were asked. */
import type pg from 'pg'
import type mysql from 'mysql2/promise'

/**
 * What a database answers to statements that have a text: rows, an error that it reports, or what a function returns of the values. The
 * first one counts; other statements have no rows.
 */
export type ClientAnswers = readonly (readonly [
  text: string,
  answer: readonly object[] | Error | ((values: readonly unknown[]) => readonly object[]),
])[]

/** A statement, and its values. */
export type Asked = readonly [sql: string, values: readonly unknown[]]

function answering(answers: ClientAnswers) {
  const asked: Asked[] = []
  const query = async (sql: string, values: readonly unknown[] = []): Promise<readonly object[]> => {
    asked.push([sql, values])
    const [, answer] = answers.find(([text]) => sql.includes(text)) ?? ['', []]
    if (answer instanceof Error) throw answer
    return typeof answer === 'function' ? answer(values) : answer
  }
  return { asked, query }
}

/** A client of PostgreSQL, and what it was asked. */
export function postgresClient(answers: ClientAnswers) {
  const { asked, query } = answering(answers)
  const client = {
    processID: null,
    query: async (sql: string, values?: readonly unknown[]) => ({ rows: await query(sql, values) }),
  } as unknown as pg.Client
  return { asked, client }
}

/** A client of MariaDB or MySQL, and what it was asked. */
export function mysqlClient(answers: ClientAnswers) {
  const { asked, query } = answering(answers)
  const client = {
    query: async (sql: string, values?: readonly unknown[]) => [await query(sql, values), []],
  } as unknown as mysql.Connection
  return { asked, client }
}
